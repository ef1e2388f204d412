"""The annotated schemas, as files of the package: formats, canonical model, physics vocabulary."""
