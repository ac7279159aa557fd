// Tags of the library's own messages on communicators that armci_msg_snd uses, too; programs' tags are below.
#pragma once

namespace armci::message::tags {

inline constexpr int masters = 32764;
inline constexpr int node_broadcast = 32765;
inline constexpr int group_creation = 32766;

} // namespace armci::message::tags
