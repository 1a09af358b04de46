import JournalStore

extension Script {
    func prune() async {
        let stream = stream()
        guard let journal = world.journal, let store = await store(of: stream) else { return }
        // Without a flush some steps may not be settled.
        if !choices.isOne(in: 3) { await attempt("flush \(stream)") { try await store.flush() } }
        _ = observe()
        let head = life.model.head(of: stream)
        guard head > 0 else { return }
        // Usually as much as possible. The outcomes are removed too, and the model has to read them first.
        let wish = head - choices.next(choices.isOne(in: 3) ? head : min(2, head))
        let step = min(wish, life.model.firstUndecided(in: stream) ?? wish)
        let recorded = Set(((try? journal.reader.liveRuns(in: stream)) ?? []).map(\.key))
        let snapshots = (try? journal.reader.snapshotSteps(in: stream)) ?? []
        let from = life.pruned[stream] ?? 0
        let planned = try? journal.reader.prunePlan(in: stream, before: step)
        life.pruning[stream] = planned.map { (from: from, to: $0.base) }
        endanger()
        do {
            let report = try await journal.prune(stream, before: step)
            guard !world.isDead else { return }
            life.note("pruned \(stream) before \(step): \(report)")
            life.count("pruning")
            readPruned(stream, journal.reader)
            if let length = life.plan.stepsPerPruning, report.base - from > length,
                snapshots.contains(where: { $0 > from && $0 < report.base })
            {
                life.count("pruning in several transactions")
            }
            if !world.hasFault { try await checkLive(recorded, in: stream, store, journal.reader) }
        } catch {
            guard !world.isDead else { return }
            life.note("prune \(stream) before \(step): \(error.code)")
            if error.code != .noUsableSnapshot, !world.hasFault { life.report("prune: \(error)") }
            // Its first transactions may have removed entries.
            if !world.isUnreadable { readPruned(stream, journal.reader) }
            return
        }
        guard !world.isDead else { return }
        // What was kept is needed again.
        switch choices.next(5) {
        case 1: await askAgain()
        case 2: world.kill()
        case 3: await reopen()
        case 4: await repair()
        default: break
        }
    }

    private func readPruned(_ stream: String, _ reader: JournalReader) {
        if let info = try? reader.stream(stream) { life.sawPruned(info.prunedStep, of: stream) }
    }

    /// Lets the process die, or the disk fail, between the transactions of a pruning.
    private func endanger() {
        guard life.plan.stepsPerPruning != nil else { return }
        switch choices.next(6) {
        case 1, 2:
            guard world.crashPoints == nil else { return }
            (world.crashPoint, world.crashPoints) = (.committed, choices.next(3))
            life.note("to be killed during the pruning")
        case 3: inject()
        default: break
        }
    }

    /// Pruning keeps the records of live runs, and what they remember.
    private func checkLive(
        _ recorded: Set<RunKey>, in stream: String, _ store: Store<Act, Score>, _ reader: JournalReader
    ) async throws(JournalError) {
        let live = try await store.liveRuns().filter { recorded.contains($0.key) }
        guard !world.isDead else { return }
        let kept = Set(try reader.effectRuns(in: stream).map(\.key))
        _ = observe()
        for run in live {
            let place = place(stream, run.step, run.name)
            // A message that has arrived, and the store has not heard of it yet.
            if life.model.told.contains("\(stream)/\(run.step)"), run.isMessage { continue }
            if !kept.contains(run.key) { life.report("\(place) is live, and pruning removed its record") }
            guard life.model.runs[place]?.remembered != nil else { continue }
            if try reader.remembered(of: stream, step: run.step, ordinal: run.ordinal).isEmpty {
                life.report("\(place) is live, and pruning removed what it remembers")
            }
        }
    }
}
