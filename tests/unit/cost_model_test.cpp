#include "armci/base/cost_model.hpp"

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

namespace armci_test {
namespace {

using namespace armci::cost;

const std::string head = "armci-rma tune file 1\nlibrary 1.2.3\nmpi MPICH 4.0.2\n";

std::optional<Tune> parsed(const std::string& text)
{
    std::string problem;
    std::optional<Tune> tune = parse(text, problem);
    EXPECT_EQ(tune.has_value(), problem.empty()) << problem;
    return tune;
}

// What is wrong with a file of these lines behind the head.
std::string problem_of(const std::string& lines, const std::string& first = head)
{
    std::string problem;
    EXPECT_FALSE(parse(first + lines, problem)) << lines;
    return problem;
}

void expect_problem(const std::string& lines, const std::string& fragment)
{
    const std::string problem = problem_of(lines);
    EXPECT_NE(problem.find(fragment), std::string::npos) << lines << "\n" << problem;
}

TEST(TuneFile, a_good_one_has_owner_place_and_models)
{
    const auto tune = parsed(head + "place two hosts, TCP\n"
                                    "# a remark\n"
                                    "\n"
                                    "strided  put direct network bytes 0 4096 12.5 6e-4 0.02\n"
                                    "\tstrided put direct network bytes 4096 max 1 2 3  \r\n"
                                    "strided  put auto network bytes 0 max 1 2 3\n"
                                    "vector   acc batched mpi segment 16 65536 0 0 0\n"
                                    "strided  get auto node bytes 0 max 1 2 3\n"
                                    "other    fetch-add auto network bytes 0 max 15 0 0");
    ASSERT_TRUE(tune);
    EXPECT_EQ(tune->owner.library, "1.2.3");
    EXPECT_EQ(tune->owner.mpi, "MPICH 4.0.2");
    EXPECT_EQ(tune->place, "two hosts, TCP");
    EXPECT_EQ(tune->others, 3u);
    ASSERT_EQ(tune->models.size(), 3u);
    const Model& first = tune->models[0];
    EXPECT_EQ(first.call, Call::strided);
    EXPECT_EQ(first.operation, Operation::put);
    EXPECT_EQ(first.method, Method::direct);
    EXPECT_EQ(first.path, Path::network);
    EXPECT_FALSE(first.by_segment);
    EXPECT_EQ(first.from, 0u);
    EXPECT_EQ(first.to, 4096u);
    EXPECT_EQ(first.a, 12.5);
    EXPECT_EQ(first.b, 6e-4);
    EXPECT_EQ(first.c, 0.02);
    EXPECT_EQ(tune->models[1].to, UINT64_MAX);
    EXPECT_EQ(tune->models[2].path, Path::mpi);
    EXPECT_EQ(tune->models[2].operation, Operation::accumulate);
    EXPECT_TRUE(tune->models[2].by_segment);
}

TEST(TuneFile, without_models_it_is_good)
{
    const auto tune = parsed(head);
    ASSERT_TRUE(tune);
    EXPECT_TRUE(tune->models.empty());
}

TEST(TuneFile, one_that_is_empty_or_something_else_says_so)
{
    for (const char* text : {"", "\n", "hello", "armci-rma tune file 2\n", "\x7f\x45LF\0\1\2"})
        EXPECT_NE(problem_of("", text).find("armci-rma tune file 1"), std::string::npos) << text;
    EXPECT_NE(problem_of("", std::string(10'000, '\0')).size(), 0u);
    EXPECT_LT(problem_of("", std::string(100'000, 'x')).size(), 200u) << "a message is no copy of the file";
    for (const char* text : {"armci-rma tune file 1", "armci-rma tune file 1\nlibrary 1\n",
                             "armci-rma tune file 1\nmpi MPICH 4.0.2\n"})
        EXPECT_NE(problem_of("", text).find("does not say of which library and mpi"), std::string::npos)
            << text;
}

TEST(TuneFile, what_is_wrong_is_named_with_its_line)
{
    const std::string good = "strided put direct network bytes 0 max 1 2 3\n";
    EXPECT_EQ(problem_of(good + "\n" + "nonsense\n").substr(0, 7), "line 6:");
    expect_problem("strided put direct network bytes 0 max 1 2\n", "10 words");
    expect_problem("strided put direct network bytes 0 max 1 2 3 4\n", "10 words");
    expect_problem("stirded put direct network bytes 0 max 1 2 3\n", "'stirded'; known are strided, vector");
    expect_problem("strided push direct network bytes 0 max 1 2 3\n", "'push'; known are put, get, acc");
    expect_problem("strided put drect network bytes 0 max 1 2 3\n", "the method is 'drect'");
    expect_problem("strided put direct wire bytes 0 max 1 2 3\n", "'wire'; known are network, mpi");
    expect_problem("strided put batched network bytes 0 max 1 2 3\n", "no strided call has method 'batched'");
    expect_problem("vector put packed network bytes 0 max 1 2 3\n", "no vector call has method 'packed'");
    expect_problem("strided put direct network words 0 max 1 2 3\n", "must be bytes or segment");
    for (const char* range :
         {"-1 max", "0 1e3", "x 7", "max max", "0 99999999999999999999", "0x1 7", "1.5 2"})
        expect_problem("strided put direct network bytes " + std::string(range) + " 1 2 3\n",
                       "whole numbers");
    for (const char* range : {"7 7", "8 7", "0 0"})
        expect_problem("strided put direct network bytes " + std::string(range) + " 1 2 3\n",
                       "the range is empty");
    for (const char* numbers : {"-1 0 0", "1 -1e-9 0", "nan 0 0", "inf 0 0", "1 2 x", "1,5 0 0", "1e999 0 0"})
        expect_problem("strided put direct network bytes 0 max " + std::string(numbers) + "\n",
                       "three numbers, none below 0");
    expect_problem("other fetch-add auto network bytes 0 max -1 0 0\n", "three numbers");
    expect_problem("mpi MPICH 4.1\n", "said before");
    expect_problem("place\n", "says nothing");
}

TEST(TuneFile, ranges_of_one_method_do_not_meet)
{
    const std::string first = "strided put direct network bytes 0 100 1 2 3\n";
    EXPECT_TRUE(parsed(head + first + "strided put direct network bytes 100 200 1 2 3\n"));
    EXPECT_TRUE(parsed(head + first + "strided get direct network bytes 0 100 1 2 3\n"));
    EXPECT_TRUE(parsed(head + first + "strided put packed network bytes 0 100 1 2 3\n"));
    EXPECT_TRUE(parsed(head + first + "strided put direct mpi bytes 0 100 1 2 3\n"));
    for (const char* range : {"bytes 99 200", "bytes 0 1", "bytes 0 max", "segment 200 300"})
        expect_problem(first + "strided put direct network " + range + " 1 2 3\n",
                       "meets that of an earlier");
}

TEST(TuneFile, too_many_models_are_refused)
{
    std::string lines;
    for (std::size_t i = 0; i < most_models; ++i)
        lines += "other x auto node bytes 0 max 1 2 3\n";
    EXPECT_TRUE(parsed(head + lines));
    expect_problem(lines + "strided put direct network bytes 0 max 1 2 3\n", "more than 4096 models");
}

TEST(TuneFile, of_another_owner_it_says_whose)
{
    const auto tune = parsed(head);
    ASSERT_TRUE(tune);
    EXPECT_EQ(mismatch(*tune, {"1.2.3", "MPICH 4.0.2"}), "");
    for (const Owner& other :
         {Owner{"1.2.3", "MPICH 4.0.3"}, Owner{"1.2.3", "Open MPI 4.0.2"}, Owner{"1.2.4", "MPICH 4.0.2"}}) {
        const std::string said = mismatch(*tune, other);
        EXPECT_NE(said.find(other.mpi == "MPICH 4.0.2" ? other.library : other.mpi), std::string::npos)
            << said;
    }
}

TEST(TuneFile, names_of_mpi_libraries)
{
    EXPECT_EQ(short_name("MPICH Version:\t4.0.2\nMPICH Release date:\tThu Apr"), "MPICH 4.0.2");
    EXPECT_EQ(short_name("MPICH Version:      5.0.0b1"), "MPICH 5.0.0b1");
    EXPECT_EQ(short_name("Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4"), "Open MPI 4.1.4");
    EXPECT_EQ(short_name("MVAPICH2 Version      :\t2.3.7\nmore"), "MVAPICH2 Version      :\t2.3.7");
    EXPECT_EQ(short_name(""), "");
    const Owner me = running();
    EXPECT_FALSE(me.mpi.empty());
    EXPECT_FALSE(me.library.empty());
}

// A path that is gone when the test ends.
class TuneFileOnDisk : public testing::Test {
protected:
    ~TuneFileOnDisk() override
    {
        unlink(path.c_str());
        rmdir(folder_);
    }

    void write(const std::string& text)
    {
        std::FILE* const file = std::fopen(path.c_str(), "w");
        ASSERT_NE(file, nullptr);
        EXPECT_EQ(std::fwrite(text.data(), 1, text.size(), file), text.size());
        std::fclose(file);
    }
    std::string problem_of_reading(const char* what)
    {
        std::string problem;
        EXPECT_FALSE(read(what, problem));
        return problem;
    }

private:
    char folder_[32] = "/tmp/tune_test.XXXXXX";

protected:
    const std::string path = std::string(mkdtemp(folder_)) + "/tune";
};

TEST_F(TuneFileOnDisk, is_read)
{
    write(head + "strided put direct network bytes 0 max 1 2 3\n");
    std::string problem;
    const auto tune = read(path.c_str(), problem);
    ASSERT_TRUE(tune) << problem;
    EXPECT_EQ(tune->models.size(), 1u);
}

TEST_F(TuneFileOnDisk, that_is_none_is_told_from_one)
{
    EXPECT_EQ(problem_of_reading(path.c_str()), "No such file or directory");
    EXPECT_EQ(problem_of_reading("/tmp"), "it is no regular file");
    EXPECT_EQ(problem_of_reading("/dev/zero"), "it is no regular file");
    ASSERT_EQ(0, mkfifo(path.c_str(), 0600));
    EXPECT_EQ(problem_of_reading(path.c_str()), "it is no regular file") << "and nobody waited for a writer";
    unlink(path.c_str());
    write("");
    EXPECT_NE(problem_of_reading(path.c_str()).find("empty"), std::string::npos);
}

TEST_F(TuneFileOnDisk, that_is_huge_is_refused_unread)
{
    const std::string good = head + "# ";
    write(good + std::string(most_file_bytes - good.size() - 1, 'x') + "\n");
    std::string problem;
    EXPECT_TRUE(read(path.c_str(), problem)) << problem;
    ASSERT_EQ(0, truncate(path.c_str(), std::int64_t{1} << 40));
    EXPECT_EQ(problem_of_reading(path.c_str()), "it has more than 1048576 bytes");
}

class Prediction : public testing::Test {
protected:
    ~Prediction() override { use({}); }
    static constexpr Work work{Call::strided, Operation::put, Path::network, 1000, 10};
};

TEST_F(Prediction, is_none_without_models)
{
    EXPECT_FALSE(in_use());
    EXPECT_FALSE(predict(Method::direct, work));
    use({});
    EXPECT_FALSE(in_use());
}

TEST_F(Prediction, is_the_line_of_the_range)
{
    const std::vector<Model> models{
        {Call::strided, Operation::put, Path::network, Method::direct, false, 0, 1000, 5, 0, 0},
        {Call::strided, Operation::put, Path::network, Method::direct, false, 1000, 2000, 1, 0.01, 0.1},
        {Call::strided, Operation::put, Path::network, Method::packed, true, 0, 100, 7, 0, 0},
        {Call::strided, Operation::put, Path::network, Method::packed, true, 100, UINT64_MAX, 8, 0, 0}};
    use(models);
    EXPECT_TRUE(in_use());
    EXPECT_DOUBLE_EQ(predict(Method::direct, work).value(), 1 + 10 + 1);
    Work less = work;
    less.bytes = 999;
    EXPECT_EQ(predict(Method::direct, less), 5);
    EXPECT_EQ(predict(Method::packed, work), 8) << "100 bytes a segment";
    EXPECT_EQ(predict(Method::packed, less), 7) << "99 bytes a segment";
    Work more = work;
    more.bytes = 2000;
    EXPECT_FALSE(predict(Method::direct, more)) << "beyond what was measured";
    more.bytes = UINT64_MAX;
    more.segments = 1;
    EXPECT_FALSE(predict(Method::packed, more)) << "the end of the numbers is in no range";
    more.segments = 0;
    EXPECT_FALSE(predict(Method::packed, more));
    for (const Work& other : {Work{Call::vector, Operation::put, Path::network, 1000, 10},
                              Work{Call::strided, Operation::get, Path::network, 1000, 10},
                              Work{Call::strided, Operation::put, Path::mpi, 1000, 10}})
        EXPECT_FALSE(predict(Method::direct, other));
    use({});
    EXPECT_FALSE(predict(Method::direct, work));
}

} // namespace
} // namespace armci_test
