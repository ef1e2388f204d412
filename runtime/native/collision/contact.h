#ifndef POLYBODY_CONTACT_H
#define POLYBODY_CONTACT_H

/* A contact between two geoms, with MuJoCo's field names; the NumPy dtype is CONTACT in table.pyx.

   Lengths are in metres, vectors in world coordinates. Collision detection writes all fields except mu and
   efc_address, which are set with the constraint rows. It sets `exclude` to 0 or 1; building the rows may set
   it to 2 or 3. */
typedef struct {
    double dist;          /* distance between the surfaces along the normal; negative: penetration */
    double pos[3];        /* the point halfway between the surfaces */
    double frame[9];      /* rows: the normal, from geom[0] to geom[1], and two tangents */
    double includemargin; /* a contact acts while dist < includemargin = margin - gap */
    double friction[5];   /* tangential twice, torsional, rolling twice */
    double solref[2];
    double solreffriction[2]; /* if both are zero, solref is used */
    double solimp[5];
    double mu;   /* friction of the regularised cone */
    int dim;     /* dimensions of the contact force: 1, 3, 4 or 6 */
    int geom[2]; /* the geom of the lower type first; -1 if none */
    int flex[2]; /* -1 if none, as for the two below */
    int elem[2];
    int vert[2];
    int exclude;     /* 0: active; 1: in the gap; 2, 3: without rows */
    int efc_address; /* first row of the constraint; -1 if none */
} Contact;

#endif
