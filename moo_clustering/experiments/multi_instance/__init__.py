"""The tables and figures of the multi-instance genetic algorithms."""
