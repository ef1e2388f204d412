"""XSD to schema model to context to template to ``generated/``; imports nothing else of the project."""
