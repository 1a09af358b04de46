import Foundation
import JournalStore

extension Script {
    /// Forks a stream at one of its steps, opens the fork beside the original, and goes on in it.
    func fork() async {
        let name = stream()
        guard let journal = world.journal, !world.hasFault else { return }
        let (first, head) = (max(1, life.pruned[name] ?? 0), life.model.streams[name]?.decided ?? 0)
        guard head >= first else { return }
        let step = first + choices.next(head - first + 1)
        let path = world.folder + "/fork-\(life.newName("f")).db"
        await attempt("fork \(name) at \(step)") { [self] in
            try await journal.reader.fork(name, at: step, to: path)
            if world.isDead { return }
            let other = World(life, number: world.number, folder: world.folder, at: world.now)
            other.copy = World.Copy(original: world, forkedAt: step)
            let fork = try Journal(path: path, options: other.options)
            let store = try await fork.open(
                Game.machine(version: life.version, other), stream: name, environment: other, clock: other.clock)
            if world.isDead { return }
            // A run that the step has cancelled, and whose outcome is not recorded, sends its cancel action here too.
            if try fork.reader.stream(name).headStep == step {
                life.report(life.model.check(forkOf: name, at: step, store.state))
            }
            for run in try await store.liveRuns() where run.status != .asked && run.status != .orphaned {
                life.report("\(place(name, run.step, run.name)) is \(run.status) in a fork")
            }
            try await store.dispatch(Act(name: "forked"))
            let report = try fork.reader.verify()
            if !report.isSound { life.report("a fork is not sound: \(report.problems)") }
            try await fork.close()
            life.count("fork")
        }
        if world.isDead { return }
        for suffix in ["", "-wal", "-shm", "-lock"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    }
}
