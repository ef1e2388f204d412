"""From SDFormat to a Model."""
