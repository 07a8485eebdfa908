//===- ThreadBackend.cpp - Ranks as threads of one process ----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The reference back end. The parts of a collective meet in a rendezvous that
// is found by group, class, channel and sequence number. Once all have started
// it, the work is there as one item per member, and those who wait take items:
// each its own first, then those of members that wait elsewhere. So a
// collective completes without any help from ranks that have started it and
// went on, as it does on a network, and ranks may wait in any order.
//
// One mutex guards all; it is never held while bytes are moved. Each rendezvous
// has a condition variable of its own, so that only its members wake up.
//
//===----------------------------------------------------------------------===//

#include "fsdp/Runtime/Backend.h"

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <system_error>
#include <thread>
#include <tuple>

using namespace fsdp::rt;
using Clock = std::chrono::steady_clock;
using Lock = std::unique_lock<std::mutex>;

namespace {
/// Where the members of one collective meet. It is gone when all have departed.
struct Rendezvous {
  explicit Rendezvous(int64_t size) : members(size), isTaken(size) {}

  /// By index; null before a member has started.
  std::vector<const Collective *> members;
  /// Which items somebody does or has done.
  std::vector<bool> isTaken;
  int64_t arrived = 0, running = 0, done = 0, departed = 0;
  /// All have arrived, all items are done, or an error.
  std::condition_variable changed;

  int64_t size() const { return static_cast<int64_t>(members.size()); }
};

/// Ranks are threads; see the top of this file.
class ThreadBackend final : public Backend {
public:
  ThreadBackend(int64_t ranks, double timeoutSeconds)
      : timeout(timeoutSeconds), blockedIn(ranks), hasFinished(ranks) {}

  void addGroup(const Group &) override {} // A rendezvous needs no set-up.
  void run(const std::function<void(int64_t rank)> &body) override;
  void start(const Collective &collective) override;
  bool wait(const Collective &collective) override;

private:
  using Key = std::tuple<int64_t, int64_t, int64_t, int64_t>;

  /// What the members of a collective have in common.
  static Key keyOf(const Collective &collective) {
    return {collective.group->id, collective.classNumber(), collective.channel,
            collective.sequence};
  }

  void interrupt() override;
  bool complete(const Collective &collective, Rendezvous &meeting, Lock &lock);
  bool doItem(int64_t index, Rendezvous &meeting, Lock &lock);
  std::string describeTimeout(const Collective &collective,
                              const Rendezvous &meeting) const;

  const std::chrono::duration<double> timeout;
  std::map<Key, Rendezvous> meetings;
  /// What each rank waits for, or null.
  std::vector<const Collective *> blockedIn;
  /// Which ranks have returned from their step.
  std::vector<bool> hasFinished;
};
} // namespace

void ThreadBackend::run(const std::function<void(int64_t rank)> &body) {
  int64_t ranks = static_cast<int64_t>(blockedIn.size());
  hasFinished.assign(ranks, false);
  std::vector<std::thread> threads;
  for (int64_t rank = 0; rank < ranks; ++rank) {
    try {
      threads.emplace_back([this, &body, rank] {
        body(rank);
        Lock lock(mutex);
        hasFinished[rank] = true;
      });
    } catch (const std::system_error &error) {
      fail("expected " + std::to_string(ranks) + " threads, but got " +
           std::to_string(rank) + ": " + error.what());
      break;
    }
  }
  for (std::thread &thread : threads)
    thread.join();
}

void ThreadBackend::start(const Collective &collective) {
  Lock lock(mutex);
  if (failed())
    return;
  Rendezvous &meeting =
      meetings.try_emplace(keyOf(collective), collective.group->size)
          .first->second;
  for (const Collective *member : meeting.members) {
    if (!member)
      continue;
    // All that are here fit together, so one comparison is enough.
    std::string error = mismatch(*member, collective);
    if (!error.empty())
      return failLocked(error);
    break;
  }
  meeting.members[collective.index()] = &collective;
  if (++meeting.arrived == meeting.size())
    meeting.changed.notify_all();
}

bool ThreadBackend::wait(const Collective &collective) {
  Lock lock(mutex);
  auto found = meetings.find(keyOf(collective));
  if (found == meetings.end()) // An error came before the start.
    return false;
  Rendezvous &meeting = found->second;
  blockedIn[collective.rank] = &collective;
  bool isComplete = complete(collective, meeting, lock);
  blockedIn[collective.rank] = nullptr;
  if (isComplete && ++meeting.departed == meeting.size())
    meetings.erase(found);
  return isComplete;
}

/// Waits for the other members and helps with the items. False after an error,
/// once no item is being done.
bool ThreadBackend::complete(const Collective &collective, Rendezvous &meeting,
                             Lock &lock) {
  Clock::time_point deadline =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(timeout);
  while (meeting.done < meeting.size()) {
    if (failed()) {
      meeting.changed.wait(lock, [&] { return meeting.running == 0; });
      return false;
    }
    if (meeting.arrived < meeting.size()) {
      if (meeting.changed.wait_until(lock, deadline) ==
              std::cv_status::timeout &&
          meeting.arrived < meeting.size())
        failLocked(describeTimeout(collective, meeting));
    } else if (!doItem(collective.index(), meeting, lock)) {
      meeting.changed.wait(lock);
    }
  }
  return true;
}

/// Does one item that nobody has taken, if there is one, that of `index` first.
bool ThreadBackend::doItem(int64_t index, Rendezvous &meeting, Lock &lock) {
  int64_t item = index;
  while (meeting.isTaken[item]) {
    item = (item + 1) % meeting.size();
    if (item == index)
      return false;
  }
  meeting.isTaken[item] = true;
  ++meeting.running;
  lock.unlock();
  computeItem(meeting.members, item);
  lock.lock();
  --meeting.running;
  if (++meeting.done == meeting.size() || failed())
    meeting.changed.notify_all();
  return true;
}

void ThreadBackend::interrupt() {
  for (auto &[key, meeting] : meetings)
    meeting.changed.notify_all();
}

/// Names the collective, who is missing, and what each of them does instead.
std::string ThreadBackend::describeTimeout(const Collective &collective,
                                           const Rendezvous &meeting) const {
  char seconds[32];
  std::snprintf(seconds, sizeof(seconds), "%g", timeout.count());
  std::string text = std::string("time-out after ") + seconds +
                     " s: " + describe(collective) + ": expected " +
                     std::to_string(meeting.size()) + " ranks, but got " +
                     std::to_string(meeting.arrived);
  for (int64_t index = 0; index < meeting.size(); ++index) {
    if (meeting.members[index])
      continue;
    int64_t rank = collective.group->member(collective.classNumber(), index);
    text += "\n  note: missing rank " + std::to_string(rank);
    if (blockedIn[rank])
      text += " waits in " + describe(*blockedIn[rank]);
    else
      text += hasFinished[rank] ? " has finished" : " is computing";
  }
  return text;
}

std::unique_ptr<Backend> fsdp::rt::createThreadBackend(int64_t ranks,
                                                       double timeoutSeconds) {
  return std::make_unique<ThreadBackend>(ranks, timeoutSeconds);
}
