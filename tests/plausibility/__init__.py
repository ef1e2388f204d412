"""Tests of the rules about Models."""
