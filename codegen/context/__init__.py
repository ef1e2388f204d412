"""From schema model to immutable contexts. All decisions are made here; templates only arrange text."""
