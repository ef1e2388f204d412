"""Whether a document that is read without errors makes a Model that behaves: rules about its physics.

judging        which documents are judged
judgement      lowers a document once, adds the findings of that, and applies the rules
rules          the table of rules: code, function, what the Model must have
doubts         what a rule reports; elements by the rows of a Model
facts          quantities of a Model that several rules need
stepping       degrees of freedom without inertia, parts that are not simulated
inertias       moments of inertia and the shapes of their bodies; defaults and placeholders
units          lengths, rotations, bounds and controls in another unit
twins          left and right parts that differ
ranges         keys and initial poses outside ranges, forces and controls limited to zero
overlaps       shapes that overlap at the initial pose
contacts       masks of contacts, contacts that are too stiff for the time step
"""
