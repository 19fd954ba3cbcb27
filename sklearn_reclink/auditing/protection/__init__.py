"""The search for a masking whose worst case is within a target."""
