// Messages: the collectives and point-to-point calls of armci_msg_*. Collectives on short data, or where
// processes share cores, go by nodes (message_by_nodes.hpp), others on MPI. They work from armci_msg_init or
// MPI_Init on until MPI ends; while ARMCI is not up, by MPI alone.
#pragma once

#include "armci/message_scope.hpp"

#include <cstddef>

namespace armci::message {

void barrier(const Members& members);

void bcast(const char* call, int scope, void* buffer, int bytes, int root, const Members& members);
// From the lowest process of my node to the others there.
void bcast_on_node(const char* call, void* buffer, int bytes);

// Combines `count` elements of `type` (armci_type_e) from all; everybody, or the scope's first process, has
// the result. `operation` as reduction_operator.hpp reads it.
void combine(const char* call, int scope, void* x, int count, const char* operation, int type,
             const Members& members);
void reduce(const char* call, int scope, void* x, int count, const char* operation, int type,
            const Members& members);

// Everybody gets the record whose leading element is least or greatest among the contributors.
void select(const char* call, int scope, void* x, int bytes, const char* operation, int type, bool contribute,
            const Members& members);

// My place in a binary tree over the scope, in absolute ids; -1 where there is none.
struct Tree {
    int root, up, left, right;
};
Tree binary_tree(const char* call, int scope, const Members& members);

void send(const char* call, int tag, const void* buffer, int bytes, int to);
// Returns the sender; `from` < 0 takes any.
int receive(const char* call, int tag, void* buffer, int capacity, int* received, int from);

// From the member of rank `master` to the `count` members of my node.
void bcast_to_node(const char* call, void* buffer, int bytes, int master, int count, const Members& members);

} // namespace armci::message
