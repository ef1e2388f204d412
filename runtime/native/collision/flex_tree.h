#ifndef POLYBODY_FLEX_TREE_H
#define POLYBODY_FLEX_TREE_H

/* The tree over the elements of a flex, built once per Model from the rest positions. */

#include "collision/flex.h"

#define ALIKE 1e-14 /* centres nearer than this are sorted by element index, m */

typedef struct {
    int begin, end, parent, child;
} Branch;

/* Sorts elements by the centres of their boxes along an axis. */
static void sort_elements(const Box *box, int axis, int *element, int *spare, int n)
{
    for (int width = 1; width < n; width *= 2) {
        for (int start = 0; start < n; start += 2 * width) {
            const int middle = start + width < n ? start + width : n, end = start + 2 * width < n ? start + 2 * width : n;
            int i = start, j = middle;
            for (int k = start; k < end; k++) {
                int first = j >= end;
                if (i < middle && j < end) {
                    const real x = part(box[element[i]].middle, axis), y = part(box[element[j]].middle, axis);
                    first = fabs(x - y) > ALIKE ? x < y : element[i] < element[j];
                }
                spare[k] = first ? element[i++] : element[j++];
            }
        }
        memcpy(element, spare, sizeof *element * (size_t)n);
    }
}

/* Writes the 2 n - 1 nodes of the tree over n elements, split in halves along the longest side of the
   bounding box. box: of all elements; element: (n,), is reordered; spare: (n,); branch: (2 n,). */
static void grow_tree(const Box *box, int *element, int *spare, int n, Branch *branch, FlexNode *node)
{
    int height = 0, made = 0;
    if (n > 0)
        branch[height++] = (Branch){0, n, -1, 0};
    while (height) {
        const Branch b = branch[--height];
        const int count = b.end - b.begin, at = made++;
        FlexNode own = {{-1, -1}, -1};
        if (b.parent >= 0)
            node[b.parent].child[b.child] = at;
        if (count == 1)
            own.element = element[b.begin];
        node[at] = own;
        if (count == 1)
            continue;
        Box all = box[element[b.begin]];
        for (int i = b.begin + 1; i < b.end; i++)
            all = joined(&all, box + element[i]);
        const Vec size = scaled(2, all.half);
        int axis = size.y >= size.x + ALIKE ? 1 : 0;
        if (size.z >= part(size, axis) + ALIKE)
            axis = 2;
        sort_elements(box, axis, element + b.begin, spare, count);
        branch[height++] = (Branch){b.begin + count / 2, b.end, at, 1};
        branch[height++] = (Branch){b.begin, b.begin + count / 2, at, 0};
    }
}

#endif
