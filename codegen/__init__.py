"""From XSD to schema model, context, template and ``generated/``; imports nothing else of the project."""
