"""Two files: how they are read and matched, their coordinates, and whether they fit together."""
