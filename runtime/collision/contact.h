#ifndef POLYBODY_CONTACT_H
#define POLYBODY_CONTACT_H

/* A contact between two geoms, with MuJoCo's field names; NumPy reads it as the dtype CONTACT of
   table.pyx.

   Lengths are in metres, vectors in world axes. Collision detection writes all but mu and efc_address,
   which belong to the rows of the constraint, and sets `exclude` to 0 or 1; the row maker may set it to 2
   or 3. */
typedef struct {
    double dist;          /* distance between the surfaces along the normal; negative: penetration */
    double pos[3];        /* the point halfway between the surfaces */
    double frame[9];      /* rows: the normal, from geom[0] to geom[1], and two tangents */
    double includemargin; /* a contact acts while dist < includemargin = margin - gap */
    double friction[5];   /* tangential twice, torsional, rolling twice */
    double solref[2];
    double solreffriction[2]; /* both zero: solref is used */
    double solimp[5];
    double mu;   /* friction of the regularised cone */
    int dim;     /* dimensions of the contact force: 1, 3, 4 or 6 */
    int geom[2]; /* the one of the lower type first; -1 without */
    int flex[2]; /* -1 without, as are the two below */
    int elem[2];
    int vert[2];
    int exclude;     /* 0: it acts; 1: it lies in the gap; 2, 3: rows leave it out */
    int efc_address; /* first row of the constraint; -1 without */
} Contact;

#endif
