// Turns of threads, and that threads which took some end in one: what MPI keeps of a thread goes meanwhile.
#include "armci/base/thread_turns.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <pthread.h>
#include <thread>

namespace {

using armci::traits::turn_of_threads;

// By a thread that takes none to end.
bool is_free()
{
    static std::recursive_mutex& turn = turn_of_threads();
    bool free = false;
    std::thread([&] { free = std::unique_lock(turn, std::try_to_lock).owns_lock(); }).join();
    return free;
}

// What MPI keeps of a thread; its key is made after the library's.
class Kept {
public:
    Kept() { pthread_key_create(&key_, end); }
    ~Kept() { pthread_key_delete(key_); }
    Kept(const Kept&) = delete;
    Kept& operator=(const Kept&) = delete;
    void keep() { pthread_setspecific(key_, this); }

    std::atomic<bool> ended{false};
    bool was_free = true;

private:
    static void end(void* kept)
    {
        auto& self = *static_cast<Kept*>(kept);
        self.was_free = is_free();
        self.ended = true;
    }
    pthread_key_t key_{};
};

TEST(ThreadTurns, AThreadThatTookSomeEndsInOne)
{
    ASSERT_TRUE(is_free());
    Kept kept;
    std::thread([&] {
        const std::unique_lock turn(turn_of_threads());
        kept.keep();
    }).join();
    EXPECT_TRUE(kept.ended);
    EXPECT_FALSE(kept.was_free);
    EXPECT_TRUE(is_free()) << "given back";
}

TEST(ThreadTurns, ItWaitsForThatOfAnother)
{
    Kept kept;
    std::unique_lock mine(turn_of_threads());
    std::atomic<bool> knows{false};
    std::thread other([&] {
        turn_of_threads();
        kept.keep();
        knows = true;
    });
    while (!knows)
        std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_FALSE(kept.ended);
    mine.unlock();
    other.join();
    EXPECT_TRUE(kept.ended);
}

TEST(ThreadTurns, AThreadThatTookNoneEndsAtOnce)
{
    Kept kept;
    const std::unique_lock mine(turn_of_threads());
    std::thread([&] { kept.keep(); }).join();
    EXPECT_TRUE(kept.ended);
}

} // namespace
