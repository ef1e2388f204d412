"""Schema model to frozen contexts: all thinking is here, templates only arrange."""
