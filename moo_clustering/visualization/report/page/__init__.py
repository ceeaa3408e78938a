"""Template, style and scripts of the report's page."""
