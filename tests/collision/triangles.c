/* The separation of two triangles of flexes, as a function for test_triangles_apart.py. */

#include "collision/flex_narrow.h"

int apart(const double *vertices, double reach)
{
    static const int corner[6] = {0, 1, 2, 0, 1, 2};
    const Flexes flexes = {.nflex = 2, .nelem = 2, .nvert = 6, .corner = corner};
    const Flex one = {.dim = 2, .nvert = 3, .nelem = 1};
    const Flex other = {.dim = 2, .vert = 3, .nvert = 3, .elem = 1, .nelem = 1, .corner = 3};
    const Pose pose = {.f = &flexes, .vert = vertices};
    return triangles_apart(&pose, &one, 0, &other, 0, reach);
}
