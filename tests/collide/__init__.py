"""Contacts compared with MuJoCo's at the same poses, and what must hold of contacts by themselves."""
