import JournalStore

extension Script {
    /// Follows the entries that come from now on.
    func beginFollowing() {
        guard !world.hasFault, let reader = world.journal?.reader else { return }
        do {
            let follower = try Follower(world, reader)
            world.follower = follower
            Task.detached { await follower.run() }
        } catch {
            life.report("the entries cannot be followed: \(error)")
        }
    }

    /// Nothing is written any more: each entry must have arrived.
    func checkFollower() async {
        guard let follower = world.follower, !world.hadFault else { return }
        for _ in 0..<20 {
            if missing(follower) == nil { break }
            await wait(1)
        }
        guard !world.isDead else { return }
        life.report(missing(follower))
        life.count("follower")
    }

    private func missing(_ follower: Follower) -> String? {
        for name in Game.streams {
            let (step, head) = (follower.steps[name] ?? 0, life.model.head(of: name))
            if step < head {
                return "a follower of \(name) waits for step \(step + 1), and the stream ends at step \(head)"
            }
        }
        return nil
    }
}
