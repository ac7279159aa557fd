#include "tests/litmus/operation.hpp"

#include <algorithm>
#include <cstring>
#include <sstream>

namespace litmus {
namespace {

constexpr auto scribble = std::byte{0xee};

template <class T>
T load(const std::byte* at)
{
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
}
template <class T>
void store(std::byte* at, T value)
{
    std::memcpy(at, &value, sizeof value);
}

// Sums wrap around, so they are made without sign.
template <class T>
void add(std::byte* at, const std::byte* terms, long bytes, T scale)
{
    for (long i = 0; i < bytes; i += static_cast<long>(sizeof(T)))
        store(at + i, load<T>(at + i) + scale * load<T>(terms + i));
}

long down_to(long value, long unit)
{
    return value / unit * unit;
}

} // namespace

Operation::Operation(Random& random, Kind kind, long focus) : kind_(kind)
{
    focus = down_to(focus, unit());
    if (is_rmw()) {
        places_ = {focus};
        bytes_ = unit();
    } else {
        switch (random() % 8) {
        case 0:
        case 1:
            choose_vector(random, focus);
            break;
        case 2:
        case 3:
            if (!choose_strided(random, focus))
                choose_contiguous(random, focus);
            break;
        case 4:
            if (kind == Kind::put || kind == Kind::get) {
                choose_value(random, focus);
                break;
            }
            [[fallthrough]];
        default:
            choose_contiguous(random, focus);
        }
    }
    make_buffer(random);
}

long Operation::unit() const
{
    switch (kind_) {
    case Kind::put:
    case Kind::get:
        return 1;
    case Kind::acc_int:
    case Kind::add_int:
    case Kind::swap_int:
        return sizeof(int);
    default:
        return sizeof(long);
    }
}

void Operation::choose_contiguous(Random& random, long focus)
{
    const long start_of_half = focus / Block::half * Block::half;
    const long most = random() % 4 == 0 ? Block::half : 64;
    const long before = std::min(focus - start_of_half, between(random, 0, most - 1));
    const long after = std::min(start_of_half + Block::half - focus, between(random, 1, most));
    const long first = focus - down_to(before, unit());
    form_ = Form::contiguous;
    places_ = {first};
    bytes_ = std::max(unit(), down_to(focus + after - first, unit()));
}

bool Operation::choose_strided(Random& random, long focus)
{
    const long start_of_half = focus / Block::half * Block::half;
    form_ = Form::strided;
    levels_ = static_cast<int>(between(random, 1, 2));
    bytes_ = unit() * between(random, 1, 24 / unit());
    count_[0] = static_cast<int>(bytes_);
    count_[1] = static_cast<int>(between(random, 1, 5));
    count_[2] = levels_ == 2 ? static_cast<int>(between(random, 1, 3)) : 1;
    stride_[0] = static_cast<int>(bytes_ + unit() * between(random, 0, 2));
    stride_[1] = static_cast<int>(stride_[0] * count_[1] + unit() * between(random, 0, 2));
    const long at = down_to(between(random, 0, bytes_ - 1), unit()) +
                    stride_[0] * between(random, 0, count_[1] - 1) +
                    stride_[1] * between(random, 0, count_[2] - 1);
    const long first = focus - at;
    const long extent = bytes_ + stride_[0] * (count_[1] - 1) + stride_[1] * (count_[2] - 1);
    if (first < start_of_half || first + extent > start_of_half + Block::half)
        return false;
    for (long j = 0; j < count_[2]; ++j)
        for (long i = 0; i < count_[1]; ++i)
            places_.push_back(first + i * stride_[0] + j * stride_[1]);
    return true;
}

void Operation::choose_vector(Random& random, long focus)
{
    form_ = Form::vector;
    bytes_ = unit() * between(random, 1, 32 / unit());
    const auto fits = [&](long first) {
        return first >= 0 && first + bytes_ <= Block::bytes &&
               first / Block::half == (first + bytes_ - 1) / Block::half &&
               std::none_of(places_.begin(), places_.end(),
                            [&](long other) { return first < other + bytes_ && other < first + bytes_; });
    };
    const long first = focus - down_to(between(random, 0, bytes_ - 1), unit());
    if (!fits(first))
        bytes_ = unit();
    places_.push_back(fits(first) ? first : focus);
    for (long tries = between(random, 0, 9); tries > 0; --tries)
        if (const long other = down_to(between(random, 0, Block::bytes - bytes_), unit()); fits(other))
            places_.push_back(other);
    std::shuffle(places_.begin(), places_.end(), random);
}

void Operation::choose_value(Random& random, long focus)
{
    form_ = Form::value;
    bytes_ = random() % 2 == 0 ? sizeof(int) : sizeof(long);
    places_ = {down_to(focus, bytes_)};
}

// Segments lie in the buffer with gaps of their own.
void Operation::make_buffer(Random& random)
{
    local_stride_[0] = static_cast<int>(bytes_ + unit() * between(random, 0, 2));
    local_stride_[1] = static_cast<int>(local_stride_[0] * count_[1] + unit() * between(random, 0, 2));
    for (std::size_t i = 0; i < places_.size(); ++i) {
        const long n = static_cast<long>(i);
        local_.push_back(form_ == Form::strided
                             ? n % count_[1] * local_stride_[0] + n / count_[1] * local_stride_[1]
                             : n * local_stride_[0]);
    }
    data_.resize(static_cast<std::size_t>(local_.back() + bytes_));
    for (std::byte& one : data_)
        one = static_cast<std::byte>(random());
    buffer_ = std::make_unique<std::byte[]>(data_.size());
    std::copy(data_.begin(), data_.end(), buffer_.get());
    scale_ = random() % 3 == 0 ? static_cast<int>(between(random, -3, 3)) : 1;
}

void Operation::issue(const Block& block, int target, bool nonblocking, armci_hdl_t* handle)
{
    std::byte* const mine = buffer_.get();
    std::byte* const there = block.at(places_[0]);
    int size = static_cast<int>(bytes_);
    const int type = kind_ == Kind::acc_int ? ARMCI_ACC_INT : ARMCI_ACC_LNG;
    int int_scale = scale_;
    long long_scale = scale_;
    void* const scale = kind_ == Kind::acc_int ? static_cast<void*>(&int_scale) : &long_scale;
    const bool nb = nonblocking;
    int result = 0;

    if (is_rmw()) {
        static constexpr int operations[] = {ARMCI_FETCH_AND_ADD, ARMCI_FETCH_AND_ADD_LONG, ARMCI_SWAP,
                                             ARMCI_SWAP_LONG};
        result = ARMCI_Rmw(operations[static_cast<int>(kind_) - static_cast<int>(Kind::add_int)], mine, there,
                           scale_, target);
    } else if (form_ == Form::value && reads()) {
        if (bytes_ == sizeof(int))
            store(mine, ARMCI_GetValueInt(there, target));
        else
            store(mine, ARMCI_GetValueLong(there, target));
    } else if (form_ == Form::value) {
        if (bytes_ == sizeof(int))
            result = nb ? ARMCI_NbPutValueInt(load<int>(mine), there, target, handle)
                        : ARMCI_PutValueInt(load<int>(mine), there, target);
        else
            result = nb ? ARMCI_NbPutValueLong(load<long>(mine), there, target, handle)
                        : ARMCI_PutValueLong(load<long>(mine), there, target);
    } else if (form_ == Form::contiguous) {
        if (kind_ == Kind::put)
            result =
                nb ? ARMCI_NbPut(mine, there, size, target, handle) : ARMCI_Put(mine, there, size, target);
        else if (reads())
            result =
                nb ? ARMCI_NbGet(there, mine, size, target, handle) : ARMCI_Get(there, mine, size, target);
        else
            result = nb ? ARMCI_NbAcc(type, scale, mine, there, size, target, handle)
                        : ARMCI_Acc(type, scale, mine, there, size, target);
    } else if (form_ == Form::strided) {
        int far[2] = {stride_[0], stride_[1]}, near[2] = {local_stride_[0], local_stride_[1]};
        int count[3] = {count_[0], count_[1], count_[2]};
        if (kind_ == Kind::put)
            result = nb ? ARMCI_NbPutS(mine, near, there, far, count, levels_, target, handle)
                        : ARMCI_PutS(mine, near, there, far, count, levels_, target);
        else if (reads())
            result = nb ? ARMCI_NbGetS(there, far, mine, near, count, levels_, target, handle)
                        : ARMCI_GetS(there, far, mine, near, count, levels_, target);
        else
            result = nb ? ARMCI_NbAccS(type, scale, mine, near, there, far, count, levels_, target, handle)
                        : ARMCI_AccS(type, scale, mine, near, there, far, count, levels_, target);
        std::fill_n(far, 2, -1);
        std::fill_n(near, 2, -1);
        std::fill_n(count, 3, -1);
    } else {
        std::vector<void*> far, near;
        for (std::size_t i = 0; i < places_.size(); ++i) {
            far.push_back(block.at(places_[i]));
            near.push_back(mine + local_[i]);
        }
        armci_giov_t segments{reads() ? far.data() : near.data(), reads() ? near.data() : far.data(), size,
                              static_cast<int>(places_.size())};
        if (kind_ == Kind::put)
            result = nb ? ARMCI_NbPutV(&segments, 1, target, handle) : ARMCI_PutV(&segments, 1, target);
        else if (reads())
            result = nb ? ARMCI_NbGetV(&segments, 1, target, handle) : ARMCI_GetV(&segments, 1, target);
        else
            result = nb ? ARMCI_NbAccV(type, scale, &segments, 1, target, handle)
                        : ARMCI_AccV(type, scale, &segments, 1, target);
        std::fill(far.begin(), far.end(), nullptr);
        std::fill(near.begin(), near.end(), nullptr);
        segments = {nullptr, nullptr, -1, -1};
    }
    int_scale = 0;
    long_scale = 0;
    if (result != 0)
        ARMCI_Error(("the call failed: " + text()).c_str(), result);
}

void Operation::apply(std::vector<std::byte>& model)
{
    wanted_ = data_;
    for (std::size_t i = 0; i < places_.size(); ++i) {
        std::byte* const there = &model[static_cast<std::size_t>(places_[i])];
        std::byte* const mine = &wanted_[static_cast<std::size_t>(local_[i])];
        switch (kind_) {
        case Kind::put:
            std::copy_n(mine, bytes_, there);
            break;
        case Kind::get:
            std::copy_n(there, bytes_, mine);
            break;
        case Kind::acc_int:
            add(there, mine, bytes_, static_cast<unsigned>(scale_));
            break;
        case Kind::acc_long:
            add(there, mine, bytes_, static_cast<unsigned long>(scale_));
            break;
        case Kind::add_int:
            store(mine, load<unsigned>(there));
            store(there, load<unsigned>(there) + static_cast<unsigned>(scale_));
            break;
        case Kind::add_long:
            store(mine, load<unsigned long>(there));
            store(there, load<unsigned long>(there) + static_cast<unsigned long>(scale_));
            break;
        case Kind::swap_int:
        case Kind::swap_long:
            std::swap_ranges(mine, mine + bytes_, there);
            break;
        }
    }
}

std::string Operation::check_and_reuse()
{
    std::ostringstream wrong;
    const std::byte* const got = buffer_.get();
    const auto place = std::mismatch(wanted_.begin(), wanted_.end(), got);
    if (place.first != wanted_.end())
        wrong << text() << ": byte " << place.first - wanted_.begin() << " of the buffer is "
              << std::to_integer<int>(*place.second) << ", not " << std::to_integer<int>(*place.first);
    std::fill_n(buffer_.get(), data_.size(), scribble);
    return wrong.str();
}

bool Operation::covers(long place) const
{
    return std::any_of(places_.begin(), places_.end(),
                       [&](long first) { return first <= place && place < first + bytes_; });
}

bool Operation::overlaps(const Operation& other) const
{
    for (const long first : places_)
        for (const long theirs : other.places_)
            if (first < theirs + other.bytes_ && theirs < first + bytes_)
                return true;
    return false;
}

std::string Operation::text() const
{
    static constexpr const char* kinds[] = {"put",     "get",      "acc int",  "acc long",
                                            "add int", "add long", "swap int", "swap long"};
    static constexpr const char* forms[] = {"contiguous", "strided", "vector", "value"};
    std::ostringstream result;
    result << kinds[static_cast<int>(kind_)] << ' ' << (is_rmw() ? "rmw" : forms[static_cast<int>(form_)])
           << ' ' << bytes_ << " bytes at";
    for (const long place : places_)
        result << ' ' << place;
    if (accumulates() || is_rmw())
        result << " by " << scale_;
    return result.str();
}

} // namespace litmus
