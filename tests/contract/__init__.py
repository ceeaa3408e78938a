"""What every class of a kind promises: one registry a kind, one file a group of checks."""
