"""From XSD to schema model, context, template and ``generated/``; imports nothing else of the project.

command         the actions of ``python -m codegen`` and ``polybody generate``
examples        an example for every element of a schema: a short document with it that is valid by the
                schema's own rules
generate        the whole generation as pure functions from schemas to texts
markdown        plain text in Markdown
passes          transformations of a model before an algorithm is traced for it, in the order of PASSES
physics         the physics: values, joints and one file per algorithm, each written once for any machine
                (see staging)
python_source   Python expressions formatted as by ruff, so that generated files look like hand-written ones
releases        what a release of a format's engine has, beside our schema
render          templates, the header of generated files, and filters that make any text safe inside source
                code
specialised     programs for one model: from its columns and a request to C text with a small versioned ABI
staging         write an algorithm once, execute it in three ways: run it, emit it as loops, specialise it
                for one model
write           compares generated texts with a folder, and writes them atomically
"""
