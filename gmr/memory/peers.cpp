#include "gmr/memory/peers.hpp"

namespace armci::gmr {

PeerTable peers;

} // namespace armci::gmr
