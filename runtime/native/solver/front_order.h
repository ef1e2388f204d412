#ifndef POLYBODY_FRONT_ORDER_H
#define POLYBODY_FRONT_ORDER_H

/* Elimination order of the degrees of freedom for the multifrontal method of fronts.h: approximate minimum
   degree (Amestoy, Davis, Duff, An approximate minimum degree ordering algorithm, 1996).

   Consecutive degrees of freedom along an unbranched chain are eliminated together, as a group. Each path
   from a leaf to the root, and each row that couples branches, is a clique of groups. Eliminating a group
   merges the cliques that contain it into one without it. This is a front: the dense matrix over its groups
   is the sum of the contributions of its rows and the remainders of earlier fronts. */

#include <string.h>
#include "solver/dense.h"
#include "collision/flex.h"

/* MAX_OF_GROUP: degrees of freedom of a group. FEW: fronts are merged if that adds fewer entries than this.
   An independent component with at most SMALL degrees of freedom is eliminated as one whole front; so is one
   with at most FITTING, which fit into a mask, if at least a third of all entries of its factors are
   nonzero. */
enum { MAX_OF_GROUP = 6, FEW = 96, SMALL = 32, FITTING = 64 };

/* Computes the degrees of freedom of every group, where the tree branches, and for each degree of freedom the
   mask of its ancestors, counted from the first one of its tree, if these are few; once per Model. */
static void find_groups(Constraints *c)
{
    const Arena *a = &c->a;
    const int nv = FACT(c, nv), *parent = c->m.dof_parentid;
    int n = 0;
    for (int i = 0, first = 0; i < nv; i++) {
        first = parent[i] < 0 ? i : first;
        const uint64_t above = parent[i] < 0 ? 0 : a->tree_mask[parent[i]];
        a->tree_mask[i] = i - first < FITTING ? above | (uint64_t)1 << (i - first) : 0;
    }
    for (int i = 0; i < nv; i++)
        a->branches[i] = 0;
    for (int i = 0; i < nv; i++)
        if (parent[i] >= 0)
            a->branches[parent[i]]++;
    for (int i = 0; i < nv; i++) {
        const int on = i > 0 && parent[i] == i - 1 && a->branches[i - 1] == 1 && i - a->group_first[n - 1] < MAX_OF_GROUP;
        if (!on)
            a->group_first[n++] = i;
        a->group[i] = n - 1;
    }
    a->group_first[n] = nv;
    c->groups = n;
    c->known_rows = -1;
}

/* --- cliques ------------------------------------------------------------------------------------------------------- */

/* Begins a clique with space for `most` groups; returns its index, or -1 if there is no space. */
static int begin_clique(Constraints *c, int most)
{
    const Arena *a = &c->a;
    const int e = c->cliques;
    const long first = e ? a->clique_first[e - 1] + a->clique_count[e - 1] : 0;
    c->need.clique = e + 2 > c->need.clique ? e + 2 : c->need.clique;
    c->need.member = first + most > c->need.member ? first + most : c->need.member;
    if (e + 2 > c->have.clique || first + most > c->have.member)
        return -1;
    a->clique_first[e] = (int)first;
    a->clique_count[e] = 0;
    a->clique_front[e] = -1;
    c->cliques++;
    return e;
}

/* Adds a group to the last clique, unless it was the last one added. */
static inline void add_member(Constraints *c, int e, int group)
{
    const Arena *a = &c->a;
    const int n = a->clique_count[e], *members = a->member + a->clique_first[e];
    if (n && members[n - 1] == group)
        return;
    a->member[a->clique_first[e] + n] = group;
    a->clique_count[e]++;
}

/* Whether the columns of a row are all on the path from the last one to the root. */
static int is_on_one_way(const Constraints *c, int row)
{
    const int *k = c->a.column + c->a.row_columns[row];
    int n = c->a.row_count[row];
    if (n && n > c->m.dof_depth[k[n - 1]] + 1)
        return 0;
    for (int i = n ? k[n - 1] : -1; i >= 0 && n > 0; i = c->m.dof_parentid[i])
        n -= i == k[n - 1];
    return n == 0;
}

/* Finds the cliques of M and of the rows; returns whether there was space. */
static int find_cliques(Constraints *c)
{
    const Arena *a = &c->a;
    c->cliques = 0;
    int fits = 1;
    for (int g = 0; g < c->groups; g++) {
        const int last = a->group_first[g + 1] - 1;
        if (a->branches[last])
            continue;
        const int e = begin_clique(c, c->m.dof_depth[last] + 1);
        fits &= e >= 0;
        for (int i = last; e >= 0 && i >= 0; i = c->m.dof_parentid[i])
            add_member(c, e, a->group[i]);
    }
    for (int i = 0; i < c->nefc; i += a->row_dim[i]) {
        if (is_on_one_way(c, i))
            continue;
        const int *k = a->column + a->row_columns[i], n = a->row_count[i], e = begin_clique(c, n);
        fits &= e >= 0;
        for (int j = 0; e >= 0 && j < n; j++)
            add_member(c, e, a->group[k[j]]);
    }
    return fits;
}

/* --- the order ----------------------------------------------------------------------------------------------------- */

/* Lists the cliques of each group. */
static void list_cliques(Constraints *c)
{
    const Arena *a = &c->a;
    for (int g = 0; g <= c->groups; g++)
        a->in_first[g] = 0;
    for (int e = 0; e < c->cliques; e++)
        for (int k = 0; k < a->clique_count[e]; k++)
            a->in_first[a->member[a->clique_first[e] + k] + 1]++;
    for (int g = 0; g < c->groups; g++) {
        a->in_first[g + 1] += a->in_first[g];
        a->in_count[g] = 0;
    }
    for (int e = 0; e < c->cliques; e++)
        for (int k = 0; k < a->clique_count[e]; k++) {
            const int g = a->member[a->clique_first[e] + k];
            a->in[a->in_first[g] + a->in_count[g]++] = e;
        }
}

static inline int size_of(const Constraints *c, int g) { return c->a.group_first[g + 1] - c->a.group_first[g]; }

/* Inserts a group into the list of the groups of a degree; dismiss() removes it. */
static void enlist(const Constraints *c, int g, int degree)
{
    const Arena *a = &c->a;
    a->degree[g] = degree;
    a->next[g] = a->least[degree];
    a->last[g] = -1;
    if (a->least[degree] >= 0)
        a->last[a->least[degree]] = g;
    a->least[degree] = g;
}

static void dismiss(const Constraints *c, int g)
{
    const Arena *a = &c->a;
    if (a->last[g] >= 0)
        a->next[a->last[g]] = a->next[g];
    else
        a->least[a->degree[g]] = a->next[g];
    if (a->next[g] >= 0)
        a->last[a->next[g]] = a->last[g];
}

/* Merges the cliques of a group into one without it, which becomes the front's. Returns its index, or -1 if
   there is no space. */
static int join_cliques(Constraints *c, int pivot, int front)
{
    const Arena *a = &c->a;
    int most = 0;
    for (int k = 0; k < a->in_count[pivot]; k++)
        most += a->clique_count[a->in[a->in_first[pivot] + k]];
    const int made = begin_clique(c, most);
    if (made < 0)
        return -1;
    int n = 0;
    a->mark[pivot] = front;
    for (int k = 0; k < a->in_count[pivot]; k++) {
        const int e = a->in[a->in_first[pivot] + k];
        a->clique_front[e] = front;
        for (int j = 0; j < a->clique_count[e]; j++) {
            const int g = a->member[a->clique_first[e] + j];
            if (a->mark[g] == front || a->order[g] >= 0)
                continue;
            a->mark[g] = front;
            a->member[a->clique_first[made] + n++] = g;
        }
    }
    a->clique_count[made] = n;
    return made;
}

/* For each clique that shares a group with a new clique, the number of its degrees of freedom outside the new
   one, to `weight`; `seen` marks the weights that are up to date. */
static void weigh_outside(const Constraints *c, int made, int front)
{
    const Arena *a = &c->a;
    const int *members = a->member + a->clique_first[made];
    for (int k = 0; k < a->clique_count[made]; k++) {
        const int g = members[k];
        for (int j = 0; j < a->in_count[g]; j++) {
            const int e = a->in[a->in_first[g] + j];
            if (a->clique_front[e] >= 0)
                continue;
            if (a->seen[e] != front) {
                a->seen[e] = front;
                a->weight[e] = 0;
                for (int l = 0; l < a->clique_count[e]; l++) {
                    const int h = a->member[a->clique_first[e] + l];
                    a->weight[e] += a->order[h] < 0 ? size_of(c, h) : 0;
                }
            }
            a->weight[e] -= size_of(c, g);
        }
    }
}

/* Replaces the merged cliques by the new one in the lists of its groups, and updates their degrees. Groups
   that are in no other clique are eliminated with it. */
static void update_groups(Constraints *c, int made, int front)
{
    const Arena *a = &c->a;
    int *members = a->member + a->clique_first[made], total = 0, kept = 0;
    for (int k = 0; k < a->clique_count[made]; k++)
        total += size_of(c, members[k]);
    for (int k = 0; k < a->clique_count[made]; k++) {
        const int g = members[k], *in = a->in + a->in_first[g];
        int n = 0;
        long outside = 0;
        for (int j = 0; j < a->in_count[g]; j++) {
            const int e = in[j];
            if (a->clique_front[e] >= 0)
                continue;
            if (a->weight[e] == 0) { /* entirely contained in the new one */
                a->clique_front[e] = front;
                continue;
            }
            outside += a->weight[e];
            a->in[a->in_first[g] + n++] = e;
        }
        a->in[a->in_first[g] + n++] = made;
        a->in_count[g] = n;
        dismiss(c, g);
        if (n == 1) {
            a->order[g] = c->ordered;
            a->ranked[c->ordered++] = g;
            continue;
        }
        members[kept++] = g;
        const long degree = total - size_of(c, g) + outside;
        enlist(c, g, degree < FACT(c, nv) ? (int)degree : FACT(c, nv));
        c->lowest = a->degree[g] < c->lowest ? a->degree[g] : c->lowest;
    }
    a->clique_count[made] = kept;
}

static inline int root_of(int *joined, int g)
{
    while (joined[g] != g)
        g = joined[g] = joined[joined[g]];
    return g;
}

/* Orders independent components with few degrees of freedom first: in any order, each of them becomes one
   whole front. Returns whether there was space. */
static int order_small(Constraints *c)
{
    const Arena *a = &c->a;
    int *joined = a->degree, *total = a->last, *count = a->next, *place = a->mark, placed = 0;
    for (int g = 0; g < c->groups; g++) {
        joined[g] = g;
        total[g] = count[g] = 0;
    }
    for (int e = 0; e < c->cliques; e++)
        for (int k = 1; k < a->clique_count[e]; k++) {
            const int *members = a->member + a->clique_first[e];
            const int one = root_of(joined, members[0]), other = root_of(joined, members[k]);
            joined[one < other ? other : one] = one < other ? one : other;
        }
    for (int g = 0; g < c->groups; g++) {
        const int root = joined[g] = root_of(joined, g);
        total[root] += size_of(c, g);
        count[root]++;
    }
    for (int g = 0; g < c->groups; g++) {
        if (joined[g] != g || total[g] > SMALL)
            continue;
        const int made = begin_clique(c, 0);
        if (made < 0)
            return 0;
        a->front_clique[c->fronts] = made;
        a->front_first[c->fronts++] = place[g] = placed;
        placed += count[g];
    }
    for (int g = 0; g < c->groups; g++) {
        if (total[joined[g]] > SMALL)
            continue;
        a->order[g] = place[joined[g]]++;
        a->ranked[a->order[g]] = g;
    }
    c->ordered = placed;
    return 1;
}

/* Eliminates all groups; returns whether there was space. Fronts are numbered in order of creation:
   front_first is the start of its pivots in `ranked`, front_clique its remaining clique, and clique_front the
   front that eliminates a clique. */
static int order_groups(Constraints *c)
{
    const Arena *a = &c->a;
    c->fronts = c->ordered = c->lowest = 0;
    for (int d = 0; d <= FACT(c, nv); d++)
        a->least[d] = -1;
    for (int g = 0; g < c->groups; g++)
        a->order[g] = -1;
    if (!order_small(c))
        return 0;
    for (int g = 0; g < c->groups; g++) {
        if (a->order[g] >= 0)
            continue;
        long degree = 0;
        for (int j = 0; j < a->in_count[g]; j++) {
            const int e = a->in[a->in_first[g] + j];
            for (int l = 0; l < a->clique_count[e]; l++)
                degree += size_of(c, a->member[a->clique_first[e] + l]);
        }
        a->mark[g] = -1;
        enlist(c, g, degree < FACT(c, nv) ? (int)degree : FACT(c, nv));
    }
    for (long e = 0; e < c->have.clique; e++)
        a->seen[e] = -1;
    while (c->ordered < c->groups) {
        while (a->least[c->lowest] < 0)
            c->lowest++;
        const int pivot = a->least[c->lowest], front = c->fronts++;
        a->front_first[front] = c->ordered;
        dismiss(c, pivot);
        a->order[pivot] = c->ordered;
        a->ranked[c->ordered++] = pivot;
        const int made = join_cliques(c, pivot, front);
        if (made < 0)
            return 0;
        a->front_clique[front] = made;
        weigh_outside(c, made, front);
        update_groups(c, made, front);
    }
    a->front_first[c->fronts] = c->ordered;
    return 1;
}

/* --- fronts -------------------------------------------------------------------------------------------------------- */

static int dofs_of(const Constraints *c, int clique)
{
    const Arena *a = &c->a;
    int n = 0;
    for (int k = 0; k < a->clique_count[clique]; k++)
        n += size_of(c, a->member[a->clique_first[clique] + k]);
    return n;
}

/* Writes the fronts to `post` in postorder, so that a front's remainder is used soon: children before
   parents, and among siblings the one with the largest remainder last. */
static void find_post_order(Constraints *c)
{
    const Arena *a = &c->a;
    int height = 0, n = 0;
    for (int f = 0; f < c->fronts; f++) {
        a->front_child[f] = -1;
        a->front_left[f] = dofs_of(c, a->front_clique[f]);
    }
    for (int f = 0; f < c->fronts; f++) { /* pushed to the front of lists: the largest is first */
        const int parent = a->clique_front[a->front_clique[f]];
        if (parent < 0)
            continue;
        const int first = a->front_child[parent];
        if (first >= 0 && a->front_left[first] > a->front_left[f]) {
            a->front_next[f] = a->front_next[first];
            a->front_next[first] = f;
        } else {
            a->front_next[f] = first;
            a->front_child[parent] = f;
        }
    }
    for (int root = c->fronts - 1; root >= 0; root--) {
        if (a->clique_front[a->front_clique[root]] >= 0)
            continue;
        a->path[height++] = root;
        while (height) { /* preorder, reversed below */
            const int f = a->path[--height];
            a->post[n++] = f;
            int count = 0;
            for (int child = a->front_child[f]; child >= 0; child = a->front_next[child])
                count++;
            height += count;
            for (int child = a->front_child[f], k = 1; child >= 0; child = a->front_next[child], k++)
                a->path[height - k] = child;
        }
    }
    for (int k = 0; k < n / 2; k++) {
        const int f = a->post[k];
        a->post[k] = a->post[n - 1 - k];
        a->post[n - 1 - k] = f;
    }
}

/* Number of blocks of a whole front for the independent component that begins at position k of the postorder;
   0 if it would have too many entries. `end` is the end of the component. */
static int blocks_of_whole(const Constraints *c, int k, int *end)
{
    const Arena *a = &c->a;
    long all = 0, entries = 0;
    int last = 0;
    for (; !last; k++) {
        const int f = a->post[k];
        long own = 0;
        for (int i = a->front_first[f]; i < a->front_first[f + 1]; i++)
            own += size_of(c, a->ranked[i]);
        all += own;
        entries += own * (own + a->front_left[f]);
        last = a->clique_front[a->front_clique[f]] < 0;
    }
    *end = k;
    return all <= SMALL || (all <= FITTING && 3 * entries >= all * all) ? (int)(all + PADDED - 1) / PADDED : 0;
}

/* Merges fronts: with the preceding child if that adds few entries, or into whole fronts, whose degrees of
   freedom keep their order. Their pivots begin at `begin` in `sequence`, and `remains` is their remaining
   clique; `order` becomes the position in `sequence`. */
static void join_fronts(Constraints *c)
{
    const Arena *a = &c->a;
    int n = 0, placed = 0, before = -1, pivots = 0, end = 0, blocks = 0;
    for (int k = 0; k < c->fronts; k++) {
        const int f = a->post[k], left = a->front_left[f], begins = k == end;
        int own = 0;
        if (begins)
            blocks = blocks_of_whole(c, k, &end);
        for (int i = a->front_first[f]; i < a->front_first[f + 1]; i++) {
            a->sequence[placed + i - a->front_first[f]] = a->ranked[i];
            own += size_of(c, a->ranked[i]);
        }
        const int child = before >= 0 && a->clique_front[a->front_clique[before]] == f;
        const long fill = child ? (long)pivots * (own + left - a->front_left[before]) : 0;
        if (blocks ? !begins : child && (fill < FEW || 8 * fill < (long)(pivots + own) * (pivots + own + left))) {
            pivots += own;
        } else {
            a->front_blocks[n] = blocks;
            a->begin[n++] = placed;
            pivots = own;
        }
        placed += a->front_first[f + 1] - a->front_first[f];
        a->remains[n - 1] = a->front_clique[f];
        a->joined[f] = n - 1;
        before = f;
        if (blocks && k + 1 == end)
            sort_ints(a->sequence + a->begin[n - 1], placed - a->begin[n - 1]);
    }
    a->begin[n] = placed;
    c->joined_fronts = n;
    for (int k = 0; k < placed; k++)
        a->order[a->sequence[k]] = k;
    for (int t = 0; t < n; t++) {
        for (int k = a->begin[t]; k < a->begin[t + 1]; k++)
            a->front_of[k] = t;
        int *members = a->member + a->clique_first[a->remains[t]], count = a->clique_count[a->remains[t]];
        for (int k = 0; k < count; k++)
            members[k] = a->order[members[k]];
        sort_ints(members, count);
        for (int k = 0; k < count; k++)
            members[k] = a->sequence[members[k]];
    }
}

/* Number of elements of a front, and of four rows that are spread over its columns and one more block. */
static inline long spread_size(long width) { return width * width + 4 * (width + PADDED); }

/* Number of elements of the factors of a whole front and of the reciprocals of its pivots. */
static inline long size_of_whole(int blocks) { return (long)PADDED * blocks * (PADDED * blocks + 1); }

/* Computes the sizes of the fronts, their numbers of children, and the memory for their factors. */
static void size_fronts(Constraints *c)
{
    const Arena *a = &c->a;
    long panel = 0, height = 0, most = 0, largest = 0;
    int top = 0, placed = 0;
    for (int t = 0; t < c->joined_fronts; t++)
        a->children[t] = 0;
    for (int t = 0; t < c->joined_fronts; t++) {
        const int parent = a->clique_front[a->remains[t]];
        int pivots = 0;
        for (int k = a->begin[t]; k < a->begin[t + 1]; k++)
            pivots += size_of(c, a->sequence[k]);
        const int left = dofs_of(c, a->remains[t]);
        const long whole = pivots + left;
        a->pivots[t] = pivots;
        a->width[t] = (int)whole;
        a->panel_first[t] = (int)panel;
        panel += a->front_blocks[t] ? size_of_whole(a->front_blocks[t]) : pivots * whole;
        a->before[t] = placed;
        placed += pivots;
        largest = spread_size(whole) > largest ? spread_size(whole) : largest;
        for (int k = 0; k < a->children[t]; k++) {
            const int child = a->path[--top];
            height -= (long)(a->width[child] - a->pivots[child]) * (a->width[child] - a->pivots[child]);
        }
        if (parent >= 0)
            a->children[a->joined[parent]]++;
        a->path[top++] = t;
        height += (long)left * left;
        most = height > most ? height : most;
    }
    c->need.panel = panel;
    c->need.square = largest;
    c->need.stack = most;
}

/* Writes the degrees of freedom of a front, in their order, to `list`: front_list for a whole front, `spot` for others. */
static void list_front(const Constraints *c, int t, int *list)
{
    const Arena *a = &c->a;
    int n = 0;
    for (int k = a->begin[t]; k < a->begin[t + 1]; k++)
        for (int i = a->group_first[a->sequence[k]]; i < a->group_first[a->sequence[k] + 1]; i++)
            list[n++] = i;
    const int *members = a->member + a->clique_first[a->remains[t]];
    for (int k = 0; k < a->clique_count[a->remains[t]]; k++)
        for (int i = a->group_first[members[k]]; i < a->group_first[members[k] + 1]; i++)
            list[n++] = i;
}

/* The same, and writes their positions in the list to `place`. */
static void place_front(const Constraints *c, int t, int *list)
{
    list_front(c, t, list);
    for (int n = 0; n < c->a.width[t]; n++)
        c->a.place[list[n]] = n;
}

/* Assigns each row of M and of J to a front: that of the first of its columns to be eliminated. */
static void place_in_fronts(Constraints *c)
{
    const Arena *a = &c->a;
    for (int t = 0; t < c->joined_fronts; t++)
        a->front_dof[t] = a->front_row[t] = -1;
    for (int i = 0; i < FACT(c, nv); i++) {
        const int parent = c->m.dof_parentid[i];
        int first = a->order[a->group[i]];
        if (parent >= 0 && a->earliest[parent] < first)
            first = a->earliest[parent];
        a->earliest[i] = first;
        a->dof_next[i] = a->front_dof[a->front_of[first]];
        a->front_dof[a->front_of[first]] = i;
    }
    for (int i = 0; i < c->nefc; i += a->row_dim[i]) {
        const int *k = a->column + a->row_columns[i], n = a->row_count[i];
        int first = c->groups;
        for (int j = 0; j < n; j++) {
            const int own = a->order[a->group[k[j]]];
            first = own < first ? own : first;
        }
        if (n == 0)
            continue;
        a->row_next[i] = a->front_row[a->front_of[first]];
        a->front_row[a->front_of[first]] = i;
    }
}

/* Whether the rows have the same columns as when the fronts were computed; stores the current ones. */
static int has_known_columns(Constraints *c)
{
    const Arena *a = &c->a;
    int same = c->known_rows == c->nefc && c->known_entries == c->need.index;
    for (int i = 0; i < c->nefc; i++) {
        same &= a->known_count[i] == a->row_count[i];
        a->known_count[i] = a->row_count[i];
    }
    for (long k = 0; k < c->need.index; k++) {
        same &= a->known_column[k] == a->column[k];
        a->known_column[k] = a->column[k];
    }
    c->known_rows = c->nefc;
    c->known_entries = c->need.index;
    return same;
}

#endif
