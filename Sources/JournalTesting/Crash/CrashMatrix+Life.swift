import JournalStore

/// One run of the machine: its end, and the images of the moments at which it could have been killed.
struct CrashLife<State: Sendable>: Sendable {
    let ending: CrashEnding<State>
    let images: [CrashImage]
    /// When each part of the script began.
    let schedule: [Timestamp]
}

extension CrashMatrix {
    var stream: String { "matrix" }

    /// Runs the script to its end, from the beginning or from what a kill left.
    ///
    /// - Parameters:
    ///   - folder: the folder of the journal.
    ///   - cut: what the kill left.
    ///   - schedule: when the parts of the script began in the run without a kill. They begin no earlier, to keep equal
    ///     times.
    ///   - keepsImages: whether to keep images for another kill.
    ///   - recordsStarts: whether a body starts only when the record of its start is written. Otherwise a body that
    ///     does not wait has ended before that.
    func live(
        in folder: JournalFolder, after cut: CrashCut? = nil, schedule: [Timestamp] = [],
        keepsImages: Bool = true, recordsStarts: Bool = false
    ) async throws -> CrashLife<State> {
        try folder.put(cut?.image.files ?? [:])
        let pace = CrashPace(at: cut?.image.time, limit: maximumTurns)
        var chronicle = cut?.image.chronicle ?? Chronicle()
        chronicle.opening += 1
        for run in cut?.sight.interrupted ?? [] { chronicle.interrupted[run.place] = run }
        let recorder = CrashRecorder(
            folder, now: { pace.now }, keepsImages: keepsImages, recordsStarts: recordsStarts, chronicle: chronicle)
        return try await pace.run { [chronicle] in
            let journal = try Journal(path: folder.journal, options: options(pace, recorder, recordsStarts))
            do {
                let outside = Outside(recorder, pace.clock.stillness.executor)
                let store = try await journal.open(
                    opened(outside), stream: stream, environment: environment(outside), clock: pace.clock)
                let times = try await play(store, from: chronicle.position, schedule, pace, recorder)
                recorder.end()
                let running = pace.clock.stillness.activity.read { Set($0.bodies.map(\.place)) }
                var ending = try self.ending(of: store, journal, recorder.chronicle, running: running)
                try await journal.close()
                // A task that the reducer has started in the replay may have made its request only now.
                ending.chronicle.faults = recorder.chronicle.faults
                return CrashLife(ending: ending, images: recorder.images, schedule: times)
            } catch {
                recorder.end()
                try? await journal.close()
                throw error
            }
        }
    }

    private func options(_ pace: CrashPace, _ recorder: CrashRecorder, _ recordsStarts: Bool) -> Journal.Options {
        var options = Journal.Options()
        // The matrix compares lives anyway.
        options.reducesTwice = false
        options.acceptsOperators = false
        options.recordsStarts = recordsStarts
        // Its waits would move the clock of a run that was killed, and of no other.
        options.hasHeartbeat = false
        options.streamSeed = { [seed] in TestJournal.seed(of: seed) }
        // What a kill leaves does not depend on syncs: the kernel keeps what was written.
        options.durability = .normal
        options.snapshots = snapshots
        options.checkpointPages = 100
        options.sleep = { [clock = pace.clock] in try await clock.sleep(for: $0) }
        options.follow(pace.clock)
        // Only this machine is opened, so messages to others wait in each life. A life that cannot end releases its
        // store, and its error says why.
        let expected: Set<Notice.Kind> = [.messagesWaiting, .storeReleased]
        options.report = { [report = options.report] notice in
            // The lives of the matrix would not decode this state, but an app would.
            if notice.kind == .snapshotFailed {
                recorder.change { $0.isAtFault("A snapshot could not be stored: \(notice.error.withoutFile)") }
            } else if !expected.contains(notice.kind) {
                report(notice)
            }
        }
        options.probe = { [stillness = pace.clock.stillness] point in
            stillness.noticed(point)
            recorder.noticed(point)
        }
        return options
    }

    /// Plays the script. Dispatches from before the cut are repeated at once, because their IDs make that harmless.
    ///
    /// - Returns: when each part began.
    private func play(
        _ store: Store<Action, State>, from position: Int, _ schedule: [Timestamp], _ pace: CrashPace,
        _ recorder: CrashRecorder
    ) async throws -> [Timestamp] {
        var times: [Timestamp] = []
        for (index, step) in script.enumerated() {
            if index < position {
                guard case .dispatch(let action) = step else { continue }
                guard try await store.dispatch(action, id: "\(index)").outcome == .repeated else {
                    recorder.change { $0.faults.append("The journal has lost '\(step)', which had returned.") }
                    continue
                }
            } else {
                recorder.begins(index, "\(step)")
                let meant = index < schedule.count ? schedule[index] : nil
                if let meant, pace.now < meant { try await pace.wait(until: meant) }
                times.append(pace.now)
                // The part in which the process was killed began before. A later one can begin late, because what came
                // before took longer.
                try await perform(
                    step, index, store, pace, since: index == position ? meant ?? pace.now : pace.now)
            }
        }
        return times
    }

    private func perform(
        _ step: CrashStep<Action>, _ index: Int, _ store: Store<Action, State>, _ pace: CrashPace,
        since start: Timestamp
    ) async throws {
        switch step {
        case .dispatch(let action): try await store.dispatch(action, id: "\(index)")
        case .cancel(let id): try await store.cancel(id: id)
        case .finish: try await pace.wait(until: nil)
        case .advance(let duration): try await pace.wait(until: start.advanced(by: duration))
        }
    }

    private func ending(
        of store: Store<Action, State>, _ journal: Journal, _ chronicle: Chronicle, running: Set<Chronicle.Place>
    ) throws -> CrashEnding<State> {
        // Of all streams, because the machine may send messages to others.
        let streams = try journal.reader.streams().map(\.name).sorted()
        let all = try streams.flatMap { try journal.reader.entries(in: $0, limit: .max) }
        func text(_ entry: Entry) -> String {
            let place = entry.stream == stream ? "" : ", in '\(entry.stream)'"
            return "\(entries == .byName ? name(of: entry) : action(of: entry)), from \(entry.origin)\(place)"
        }
        // A replay must match the records.
        let divergence = try Outside.$isReplayed.withValue(true) { try store.replayer().verify().divergence }
        let runs = try streams.flatMap { try journal.reader.effectRuns(in: $0) }
        let records = try streams.flatMap { try journal.reader.stepRecords(of: $0, from: 1, limit: .max) }
        return CrashEnding(
            state: store.state, entries: all.map(text), dispatched: all.filter { $0.origin == .dispatched }.map(text),
            effects: runs.map { run in
                "'\(run.name)'\(run.effectIDText.map { " " + $0 } ?? "") \(run.status.rawValue)"
            },
            unfinished: running.union(runs.filter { $0.status == .running }.map(\.place)).count,
            rejected: records.filter { $0.outcome == .rejected }.count,
            chronicle: chronicle,
            problems: try journal.reader.verify().problems.map(\.description)
                + [divergence?.description].compactMap(\.self))
    }

    /// A text that is the same for equal actions. A codec that encrypts writes another one each time.
    private func action(of entry: Entry) -> String {
        // An entry of another stream can be a message to another machine.
        if machine.codec is JSONCodec || entry.stream != stream { return entry.action }
        let action = try? machine.codec.decode(Action.self, from: entry.action)
        return action.flatMap(machine.codec.textToCompare) ?? entry.action
    }

    func name(of entry: Entry) -> String {
        (try? machine.codec.decode(Action.self, from: entry.action)).map { StoredName.ofCase($0) } ?? entry.action
    }
}
