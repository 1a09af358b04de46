import Foundation
import JournalStore

extension Script {
    /// Reads what is new in the journal.
    ///
    /// - Returns: whether everything was read.
    @discardableResult
    func observe() -> Bool {
        // In this order, because "a" sends messages to "b".
        Game.streams.map { observe($0) }.allSatisfy(\.self)
    }

    /// Reads what is new in a stream.
    private func observe(_ name: String) -> Bool {
        guard !world.isDead, !world.isUnreadable, let journal = world.journal else { return false }
        do {
            let rows = try journal.reader.entries(in: name, from: life.model.head(of: name) + 1, limit: .max)
            for row in rows { life.count(row.isProvisional ? "provisional entry" : "entry from \(row.origin)") }
            let acts = try rows.map { (try Game.codec.decode(Act.self, from: $0.action), $0) }
            for (act, row) in acts where act.form != life.form(of: row.version) {
                life.report("step \(row.step) of \(name) is of version \(row.version), and has the form \(act.form)")
            }
            life.report(life.model.read(acts, of: name))
            try decide(name, journal.reader)
            life.report(life.model.read(try journal.reader.effectRuns(in: name), of: name))
            return true
        } catch let error as JournalError where error.code == .unknownStream {
            // Not opened for the first time yet.
        } catch {
            life.report("the journal cannot be read: \(error)")
        }
        return false
    }

    /// Reads which entries count that shared a transaction.
    private func decide(_ name: String, _ reader: JournalReader) throws {
        guard let first = life.model.firstUndecided(in: name) else { return }
        let settled = try reader.stream(name).settledStep
        guard first <= settled else { return checkUndecided(first, name, reader) }
        let records = try reader.stepRecords(of: name, from: first, limit: .max)
        let cancelled = Set(records.filter { $0.outcome == .cancelled }.map(\.step))
        if !cancelled.isEmpty { life.count("action of an effect that an earlier one had cancelled") }
        life.report(life.model.read(settled: settled, cancelled: cancelled, of: name))
    }

    /// A replay knows no state of a step of which it is not known whether it counts, unless there is a snapshot of it.
    private func checkUndecided(_ step: Int, _ name: String, _ reader: JournalReader) {
        guard !world.hasFault, let store = world.stores[name],
            let snapshots = try? reader.snapshotSteps(in: name), !snapshots.contains(step),
            (try? store.replayer().state(at: step)) != nil
        else { return }
        life.report("a replay of \(name) has a state of step \(step), and it is not known whether that counts")
    }

    /// Verifies the file, and replays.
    func check() async {
        guard let journal = world.journal, !world.hasFault else { return }
        do {
            let report = try journal.reader.verify()
            if !report.isSound { life.report("the journal is not sound: \(report.problems)") }
            for name in Game.streams {
                guard let store = await store(of: name) else { return }
                try await store.flush()
                if world.isDead { return }
                try checkAttempts(of: name, journal.reader)
                if let difference = try store.replayer().verify().divergence {
                    life.report("a replay of \(name) differs: \(difference)")
                }
            }
            life.count("verification")
            let attributes = try? FileManager.default.attributesOfItem(atPath: world.path + "-wal")
            let pages = (attributes?[.size] as? Int ?? 0) / 4096
            if life.plan.checkpointPages < 10, life.plan.trouble != .full, !world.hadFault, pages > 150 {
                life.report("the WAL has \(pages) pages, and a checkpoint is due after \(life.plan.checkpointPages)")
            }
        } catch {
            if !world.isDead { life.report("the journal cannot be verified: \(error)") }
        }
    }

    /// Each attempt of a run that has had several is recorded, and each error that led to another one.
    private func checkAttempts(of name: String, _ reader: JournalReader) throws {
        for run in try reader.effectRuns(in: name) {
            let records = try reader.attempts(of: name, step: run.step, ordinal: run.ordinal)
            if run.attempts > 1, records.map(\.number) != Array(1...run.attempts) {
                life.report("the effect \(run.key) of \(name) has had \(run.attempts) attempts, and records \(records)")
            }
            let errors = records.count { $0.error != nil }
            // The last attempt of a run that has failed ended with the run.
            if errors < run.failures - (run.status == .failed ? 1 : 0) {
                life.report("the effect \(run.key) of \(name) has failed \(run.failures) times, and records \(records)")
            }
            if errors > 0 { life.count("recorded attempt") }
        }
    }

    /// Lets everything come to its end, without faults and kills.
    func finish() async {
        world.crashPoints = nil
        world.losesPower = false
        if world.isPassing, !world.isBroken { await passFault() }
        world.clearFaults()
        if world.hasFault || world.isBroken { await repair() }
        // A clock that was set back must not keep timers waiting for longer than this part lasts.
        if life.plan.hasJumps { world.jump(by: .seconds(24 * 3_600)) }
        // A repair may have ordered another power cut.
        world.losesPower = false
        world.clearFaults()
        life.note("the end begins")
        await becomeQuiet()
        await endWaiting()
        // What waited for a state may have been reduced only now.
        await becomeQuiet()
        for name in Game.streams { await flush(name) }
        observe()
        guard life.findings.isEmpty else { return }
        for name in Game.streams {
            guard let store = await store(of: name) else { return }
            let (expected, state) = (life.model.score(of: name), store.state)
            if state.count != expected.count || state.digest != expected.digest {
                life.report("the state of \(name) is \(state), not \(expected)")
            }
        }
        if life.findings.isEmpty { await checkFollower() }
        if world.isDead { return }
        life.report(liveRecord() ?? life.model.checkWaits() ?? life.model.ended(pruned: life.pruned))
        for run in life.model.runs.values {
            if let status = run.status { life.count("effect that ended as \(status)") }
        }
        await checkQueues()
        if world.isDead { return }
        await check()
        await reopenOnce()
        life.isOver = true
    }

    /// Waits until no effect runs or waits any more.
    private func becomeQuiet() async {
        for _ in 0..<200 {
            guard !world.isDead, life.findings.isEmpty else { return }
            var isQuiet = underWay == 0
            for name in Game.streams {
                guard let store = await store(of: name) else { return }
                await attempt("flush \(name)") { try await store.flush() }
                for run in (try? await store.liveRuns()) ?? [] {
                    isQuiet = false
                    // A full disk has kept its cancel action back, which is sent when there is room again.
                    if run.status == .cancelling { continue }
                    // One that waits for a decision stays as it is if the code does not return it any more, and cannot
                    // be released.
                    if run.status == .orphaned || life.model.isOrphan(place(name, run.step, run.name)) {
                        await cancelOrphan(run, of: name, store)
                        continue
                    }
                    guard run.status == .asked || run.status == .parked else { continue }
                    await release(run, of: name, store)
                }
            }
            if isQuiet { break }
            await wait(30)
        }
    }

    /// The store of each stream has no effect that has not ended, and neither has the journal.
    private func liveRecord() -> String? {
        for name in Game.streams {
            guard let run = (try? world.journal?.reader.liveRuns(in: name))?.first else { continue }
            return "\(place(name, run.step, run.name)) is \(run.status), and its store does not know it"
        }
        return nil
    }

    /// When no effect is left and each delay is over, nothing is stored of a queue.
    private func checkQueues() async {
        var stored: [String] = []
        // No list has the ephemeral effects. In a hasty life one can begin later than its delay says, and keeps its
        // queue.
        for _ in 0..<20 {
            guard !world.isDead, life.findings.isEmpty, world.host != nil || world.stores.count == Game.streams.count
            else { return }
            await wait(30)
            for name in Game.streams { await flush(name) }
            guard !world.isDead, let reader = world.journal?.reader else { return }
            stored = Game.streams.flatMap { name in
                ((try? reader.queues(of: name)) ?? []).map { "\($0.key) of \(name)" }
            }
            if stored.isEmpty { return }
        }
        life.report("no effect is left, and these queues are stored: \(stored)")
    }

    /// The state after another opening is the same, to the last bit.
    func reopenOnce() async {
        let before = await states()
        let journal = world.forget()
        await attempt("last close") { try await journal?.close() }
        guard await open() else { return }
        let after = await states()
        if before != after { life.report("the states before the last opening were \(before), and are \(after)") }
        if let lines = try? world.journal?.reader.lines() {
            // The writer's row has the path of the file, and so has the error of a run that failed.
            for line in lines where !line.hasPrefix("writer|") {
                life.note(line.replacingOccurrences(of: life.root, with: ""))
            }
        }
        let last = world.forget()
        await attempt("close") { try await last?.close() }
    }

    private func states() async -> [Score?] {
        var states: [Score?] = []
        for name in Game.streams { states.append(await store(of: name)?.state) }
        return states
    }
}
