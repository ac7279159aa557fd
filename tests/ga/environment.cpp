// Starts Global Arrays before the tests of a program and ends it after them.
#include <gtest/gtest.h>

#include <ga.h>
#include <macdecls.h>

namespace {

class GlobalArrays : public testing::Environment {
public:
    void SetUp() override
    {
        GA_Initialize();
        // GA's own memory allocator, which some of its operations take work space from.
        ASSERT_TRUE(MA_init(MT_C_DBL, 1 << 16, 1 << 20));
    }
    void TearDown() override { GA_Terminate(); }
};

const testing::Environment* const global_arrays = testing::AddGlobalTestEnvironment(new GlobalArrays);

} // namespace
