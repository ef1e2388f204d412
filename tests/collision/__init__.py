"""Contacts compared with MuJoCo's at the same poses, and properties that every contact must have."""
