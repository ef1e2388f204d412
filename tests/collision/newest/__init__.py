"""Contacts as MuJoCo 4.0 finds them, of the shapes whose formulas are not those of 3.2.7."""
