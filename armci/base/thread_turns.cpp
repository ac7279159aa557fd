#include "armci/base/thread_turns.hpp"

#include <pthread.h>

namespace armci::traits {
namespace {

std::recursive_mutex turn;

enum class Round { first, second };
Round first_round = Round::first;
Round second_round = Round::second;

void end_in_turn(void* round);

struct Key {
    Key() : is_made(pthread_key_create(&key, end_in_turn) == 0) {}
    ~Key() // the library may be unloaded before threads end
    {
        if (is_made)
            pthread_key_delete(key);
    }
    Key(const Key&) = delete;
    Key& operator=(const Key&) = delete;
    pthread_key_t key{};
    bool is_made;
};
const Key ends;

void end_in_turn(void* round)
{
    if (*static_cast<Round*>(round) == Round::second) {
        turn.unlock();
        return;
    }
    turn.lock();
    // Without another round nobody would give the turn back.
    if (pthread_setspecific(ends.key, &second_round) != 0)
        turn.unlock();
}

} // namespace

std::recursive_mutex& turn_of_threads()
{
    if (ends.is_made && pthread_getspecific(ends.key) == nullptr)
        pthread_setspecific(ends.key, &first_round);
    return turn;
}

} // namespace armci::traits
