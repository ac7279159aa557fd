// Messages: the collectives and point-to-point calls of armci_msg_*: in shared memory where a scope is one
// node and its data short (or its processes share cores), on MPI otherwise.
//
// Scopes, within a group: all its members; those on my node; one for each node (the lowest). Processes
// outside the MASTERS scope take no part. Roots are absolute ids.
#pragma once

#include "armci/groups.hpp"

#include <cstddef>

namespace armci::message {

void bcast(const char* call, int scope, void* buffer, int bytes, int root, Group& group);

// Combines `count` elements of `type` (armci_type_e) from all; everybody, or the scope's first process, has
// the result.
void combine(const char* call, int scope, void* x, int count, const char* operation, int type, Group& group);
void reduce(const char* call, int scope, void* x, int count, const char* operation, int type, Group& group);

// Everybody gets the record whose leading element is least or greatest among the contributors.
void select(const char* call, int scope, void* x, int bytes, const char* operation, int type, bool contribute,
            Group& group);

// My place in a binary tree over the scope, in absolute ids; -1 where there is none.
struct Tree {
    int root, up, left, right;
};
Tree binary_tree(const char* call, int scope, Group& group);

void send(const char* call, int tag, const void* buffer, int bytes, int to);
// Returns the sender; `from` < 0 takes any.
int receive(const char* call, int tag, void* buffer, int capacity, int* received, int from);

// From the member of rank `master` to the `count` members of my node.
void bcast_to_node(const char* call, void* buffer, int bytes, int master, int count, Group& group);

} // namespace armci::message
