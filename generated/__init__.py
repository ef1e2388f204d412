"""What codegen wrote from the schemas: never edited by hand."""
