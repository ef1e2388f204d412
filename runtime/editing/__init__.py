"""Searches in documents, and edits that leave no reference without its element.

Each function has a module of its own, so that none imports what only others need.

arguments         arguments of edits, and what is wrong with them
attaching         attaching the content of one document to a part of another
attaching_joined  what is added when a document is attached, in formats with joints between links or bodies
attaching_mjcf    what is added when an MJCF document is attached: bodies, and the sections that belong to
                  them
attaching_x_xy    what is added when a document of x_xy is attached: bodies and shapes, with their defaults
                  written out
classes           defaults classes of MJCF, so that each of two documents in one keeps its own defaults
deleting          deleting elements, so that nothing remains that refers to them or has no meaning without
                  them
extracting        new documents of a part of a document: what is below a link or body, or the chain between
                  two
faults            edits that would leave a document with new errors: they are tried on a copy, before
                  anything is changed
frames            poses and directions in frames that are deleted, expressed in frames that remain
included          names in files that a document includes: edits do not change these files
inherited         what defaults elements give to others, kept when they are deleted
keys              key frames of MJCF: their numbers follow the joints, actuators and mocap bodies of the
                  document
nested            bodies inside bodies, as in MJCF and x_xy: their poses in the world, and moving one to the
                  world
parts             the tree of a document's parts: links or bodies, and the joints between them
paths             paths of files, for a document in another folder
poses             poses in the notations of the formats, read and written
reattaching       what is connected to a link or body that is deleted
renaming          renaming elements, one or all, with the references to them
searching         elements of a document by XPath
"""
