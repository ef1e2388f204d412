"""Shapes of URDF: see shapes.pyx."""


cdef class Shapes:
    cdef object document, meshes
    cdef dict colours, materials
    cdef bint quaternions

    cdef list of(self, link)
    cdef object touching(self, node)
    cdef object seen(self, node)
    cdef object mesh(self, shape, bint touching)
    cdef tuple look(self, own)
