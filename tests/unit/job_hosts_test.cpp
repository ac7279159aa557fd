// Connections to hosts of the job are told from those to others.
#include "armci/base/job_hosts.hpp"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <vector>

namespace armci {
namespace {

InternetAddress loopback(unsigned char last)
{
    InternetAddress address = loopback_address();
    address.back() = last;
    return address;
}

// A TCP connection from 127.0.0.1 to 127.0.0.2, both ends in this process.
class Connection : public testing::Test {
protected:
    Connection()
    {
        sockaddr_storage place{};
        socklen_t size = to_sockaddr(loopback(2), 0, place);
        listener_ = socket(AF_INET, SOCK_STREAM, 0);
        EXPECT_EQ(0, bind(listener_, reinterpret_cast<sockaddr*>(&place), size));
        EXPECT_EQ(0, listen(listener_, 1));
        EXPECT_EQ(0, getsockname(listener_, reinterpret_cast<sockaddr*>(&place), &size));
        sockaddr_storage own{};
        const socklen_t own_size = to_sockaddr(loopback(1), 0, own);
        outgoing = socket(AF_INET, SOCK_STREAM, 0);
        EXPECT_EQ(0, bind(outgoing, reinterpret_cast<sockaddr*>(&own), own_size));
        EXPECT_EQ(0, connect(outgoing, reinterpret_cast<sockaddr*>(&place), size));
    }
    ~Connection() override
    {
        close(outgoing);
        close(listener_);
    }

    int outgoing = -1;

private:
    int listener_ = -1;
};

TEST_F(Connection, a_connection_to_a_host_of_the_job_is_found_and_named)
{
    const JobHosts hosts({{loopback(2), "second"}, {loopback(3), "third"}});
    EXPECT_STREQ("second", hosts.at_end_of(outgoing));
    InternetAddress mine{};
    ASSERT_TRUE(hosts.find_connection(mine));
    EXPECT_EQ(to_text(loopback(1)), to_text(mine));
}

TEST_F(Connection, a_host_is_found_among_many_by_each_of_its_addresses)
{
    std::vector<std::string> names;
    for (int host = 0; host < 100; ++host)
        names.push_back("host" + std::to_string(host));
    std::vector<JobHosts::Host> hosts;
    // From the last, so that the order by address is another: 200, 199; 198, 197; ... 2, 1.
    for (int host = 99; host >= 0; --host)
        for (const int last : {2 * host + 2, 2 * host + 1})
            hosts.push_back(
                {loopback(static_cast<unsigned char>(last)), names[static_cast<std::size_t>(host)].c_str()});
    hosts.push_back({loopback(2), "late"});
    EXPECT_STREQ("host0", JobHosts(hosts).at_end_of(outgoing));
    EXPECT_STREQ("late", JobHosts({hosts.back()}).at_end_of(outgoing));
    hosts.resize(hosts.size() - 3); // without 2 and 1
    EXPECT_EQ(nullptr, JobHosts(hosts).at_end_of(outgoing));
}

TEST_F(Connection, one_to_another_host_says_nothing)
{
    const JobHosts hosts({{loopback(3), "third"}});
    EXPECT_EQ(nullptr, hosts.at_end_of(outgoing));
    InternetAddress mine{};
    EXPECT_FALSE(hosts.find_connection(mine));
}

TEST_F(Connection, what_is_no_connection_leads_nowhere)
{
    const JobHosts hosts({{loopback(2), "second"}});
    EXPECT_EQ(nullptr, hosts.at_end_of(-1));
    EXPECT_EQ(nullptr, hosts.at_end_of(0));
    const int idle = socket(AF_INET, SOCK_STREAM, 0);
    EXPECT_EQ(nullptr, hosts.at_end_of(idle));
    close(idle);
}

} // namespace
} // namespace armci
