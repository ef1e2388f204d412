"""Contacts compared with MuJoCo's at the same poses of the geoms, and what must hold of contacts by themselves."""
