import Foundation
import JournalStore

extension Script {
    /// Forks a stream at one of its steps, opens the fork beside the original, and goes on in it.
    func fork() async {
        if life.plan.canGoOnInFork, choices.isOne(in: 2) { return await goOnInFork() }
        let name = stream()
        guard let journal = world.journal, !world.hasFault else { return }
        let (first, head) = (max(1, life.pruned[name] ?? 0), life.model.streams[name]?.decided ?? 0)
        guard head >= first else { return }
        let step = first + choices.next(head - first + 1)
        let path = world.folder + "/fork-\(life.newName("f")).db"
        await attempt("fork \(name) at \(step)") { [self] in
            guard try await isForked(journal, name, at: step, to: path), !world.isDead else { return }
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
            for run in try await store.liveRuns() where ![.asked, .orphaned, .cancelling].contains(run.status) {
                life.report("\(place(name, run.step, run.name)) is \(run.status) in a fork")
            }
            try await store.dispatch(Act(name: "forked", form: life.form))
            let report = try fork.reader.verify()
            if !report.isSound { life.report("a fork is not sound: \(report.problems)") }
            try await fork.close()
            life.count("fork")
        }
        if world.isDead { return }
        for suffix in ["", "-wal", "-shm", "-lock"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    }

    /// Forks a stream, unless that is refused because the entry of an effect that was live at the step was pruned.
    private func isForked(_ journal: Journal, _ name: String, at step: Int, to path: String) async throws -> Bool {
        do throws(JournalError) {
            try await journal.reader.fork(name, at: step, to: path)
            return true
        } catch {
            guard error.code == .noUsableSnapshot, life.pruned[name] ?? 0 > 0 else { throw error }
            life.note("no fork of \(name) at \(step): \(error.code)")
            life.count("fork that a pruned effect prevents")
            return false
        }
    }

    /// Forks a stream. The next process opens the fork instead of what this one leaves.
    private func goOnInFork() async {
        let name = stream()
        guard let journal = world.journal, !world.hasFault, let store = await store(of: name) else { return }
        await attempt("flush \(name)") { try await store.flush() }
        guard observe(), let info = try? journal.reader.stream(name),
            let originals = try? journal.reader.effectRuns(in: name)
        else { return }
        let steps = life.model.forkSteps(of: name, settled: info.settledStep, pruned: info.prunedStep)
        guard !steps.isEmpty else { return }
        let step = steps[steps.count - 1 - choices.next(steps.count)]
        let path = world.folder + "/fork-\(life.newName("f")).db"
        var isMade = false
        await attempt("fork \(name) at \(step)") { [self] in
            isMade = try await isForked(journal, name, at: step, to: path)
        }
        guard isMade, !world.isDead else { return }
        do {
            let reader = try JournalReader(path: path)
            let rows = try reader.effectRuns(in: name)
            life.report(life.model.check(rows, ofForkOf: name, at: step, originals))
            guard life.findings.isEmpty else { return }
            let remembering = try rows.filter { row in
                try !reader.remembered(of: name, step: row.step, ordinal: row.ordinal).isEmpty
            }
            for row in rows where row.status == .asked { life.count("effect that a fork asks about") }
            life.model.goOn(inForkOf: name, at: step, rows, remembering: Set(remembering.map(\.key)))
        } catch {
            return life.report("the fork of \(name) at step \(step) cannot be read: \(error)")
        }
        (life.pruned, life.pruning) = ([name: info.prunedStep], [:])
        life.forks += 1
        life.note("the life goes on in the fork of \(name) at step \(step)")
        life.count("life that goes on in a fork")
        world.successor = path
        world.losesPower = false
        world.kill()
    }

    /// An operator releases some of the effects that were live in the original.
    func decide() async {
        guard life.forks > 0 else { return }
        for name in Game.streams {
            guard let store = await store(of: name) else { return }
            for run in (try? await store.liveRuns()) ?? [] {
                guard !world.isDead else { return }
                guard run.status == .asked, choices.isOne(in: 2) else { continue }
                await release(run, of: name, store)
            }
        }
    }
}
