"""Contacts between geoms."""
