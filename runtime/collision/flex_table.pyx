# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""The data of a Model's flexes for collision detection."""

import numpy as np

from libc.stdint cimport uintptr_t
from libc.string cimport memset

from polybody.generated.kernels.contract.records import FLEX_MEETING, FLEX_NODE

from polybody.generated.kernels.contract.records cimport Flex, Flexes, FlexMeeting, FlexNode, FlexPair

cdef extern from "collision/flex_tree.h" nogil:
    ctypedef struct Box:
        pass
    ctypedef struct Branch:
        int begin
    void grow_tree(const Box *box, int *element, int *spare, int n, Branch *branch, FlexNode *node)

assert sizeof(Box) == 48


cdef void *address(array):
    return <void *><uintptr_t>array.ctypes.data


def tree(boxes, members):
    """The tree over some elements of a flex, rows of FLEX_NODE.

    Args:
        boxes: centres and half widths of the bounding boxes of all elements, (nelem, 6), m.
        members: the elements, ascending.
    """
    cdef int n = len(members)
    boxes = np.ascontiguousarray(boxes, np.float64)
    element, spare = np.array(members, np.int32), np.zeros(n + 1, np.int32)
    branch, nodes = np.zeros(4 * (2 * n + 1), np.int32), np.zeros(max(0, 2 * n - 1), FLEX_NODE)
    cdef const Box *box = <const Box *>address(boxes)
    cdef int *own = <int *>address(element)
    cdef int *other = <int *>address(spare)
    cdef Branch *branches = <Branch *>address(branch)
    cdef FlexNode *node = <FlexNode *>address(nodes)
    with nogil:
        grow_tree(box, own, other, n, branches, node)
    return nodes


cdef class FlexTable:
    def __init__(self, flexes, nodes, meetings, pairs, corner, body, layer, beyond, most):
        """
        Args:
            flexes: rows of FLEX of flexes.py.
            nodes: rows of FLEX_NODE, grouped by flex.
            meetings: rows of FLEX_MEETING, sorted by body, flex and geom.
            pairs: flexes that may touch, (npair, 2), sorted.
            corner, body, layer, beyond: flex_elem, flex_vertbodyid, flex_elemlayer and flex_evpair.
            most: the number of contacts from which on planes and tetrahedra add none; -1: no limit.
        """
        kept = {"flexes": np.ascontiguousarray(flexes), "nodes": np.ascontiguousarray(nodes, FLEX_NODE),
                "meetings": np.ascontiguousarray(meetings, FLEX_MEETING)}
        for name, array in (("pairs", pairs), ("corner", corner), ("body", body), ("layer", layer),
                            ("beyond", beyond)):
            kept[name] = np.ascontiguousarray(array, np.int32)
        memset(&self.f, 0, sizeof(Flexes))
        self.f.nflex, self.f.nmeeting = len(kept["flexes"]), len(kept["meetings"])
        self.f.npair, self.f.nelem = len(kept["pairs"]), len(kept["layer"])
        self.f.nnode, self.f.nvert, self.f.most = len(kept["nodes"]), len(kept["body"]), most
        self.f.flex, self.f.node = <const Flex *>address(kept["flexes"]), <const FlexNode *>address(kept["nodes"])
        self.f.meeting = <const FlexMeeting *>address(kept["meetings"])
        self.f.pair = <const FlexPair *>address(kept["pairs"])
        self.f.corner, self.f.body = <const int *>address(kept["corner"]), <const int *>address(kept["body"])
        self.f.layer, self.f.beyond = <const int *>address(kept["layer"]), <const int *>address(kept["beyond"])
        self.kept = kept
