// What a model may be asked to do next: an operation of random form on its target, in memory and in the
// model.
#pragma once

#include "tests/rma/model.hpp"

namespace armci_test::model {

void put(Model& model);
void get(Model& model);
void accumulate(Model& model);
void read_modify_write_int(Model& model);
void read_modify_write_long(Model& model);

void put_strided(Model& model);
void get_strided(Model& model);
void accumulate_strided(Model& model);

void put_vector(Model& model);
void get_vector(Model& model);
void accumulate_vector(Model& model);

} // namespace armci_test::model
