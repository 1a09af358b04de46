import JournalStore

/// Replays streams in other processes, and compares the states. Sets and dictionaries have another order in each
/// process, so this finds a reducer that depends on the order; and a reducer that crashes ends only one of them.
struct StreamVerifier {
    private var children: ReplayChildren
    private let reader: JournalReader
    private let file: String

    /// - Returns: nil for a journal without a file.
    init?(_ children: ReplayChildren, _ reader: JournalReader) {
        guard let file = reader.file else { return nil }
        (self.children, self.reader, self.file) = (children, reader, file)
    }

    /// The number of processes that replay this many steps after the first one did. Two members of a set have the same
    /// order in about half of all processes, so a short history is replayed by more of them.
    static func count(steps: Int) -> Int {
        min(8, max(1, 20_000 / max(1, steps)))
    }

    /// The number of steps from one compared state to the next: a hundred states are compared in all. In a machine with
    /// sets or dictionaries their texts differ, so each is decoded and compared by value, which takes longer than a
    /// step.
    static func stride(steps: Int) -> Int {
        max(1, steps * count(steps: steps) / 100)
    }

    /// Replays a stream in all processes.
    ///
    /// - Parameter progress: Called with the progress of a long replay.
    mutating func verify(_ stream: StreamInfo, _ progress: (Int, Int) -> Void) throws -> Replayed {
        var replayed = Replayed(stream: stream.name, report: nil, processes: 1)
        let stride = Self.stride(steps: stream.headStep - stream.prunedStep)
        var states: [Int: Int] = [:]
        do {
            let child = try children.child(0)
            try child.send(request(stream, every: stride))
            replayed.report = try report(of: child, progress) { step, state in
                states[step] = state.hashValue
                return true
            }
            if let report = replayed.report, report.divergence == nil {
                try compare(&replayed, report, stream, states, every: stride)
            }
        } catch let error as JournalError {
            replayed.error = error
        } catch let ended as ReplayChild.Ended {
            replayed.error = try crash(stream, ended)
        }
        if replayed.error != nil { replayed.report = nil }
        return replayed
    }

    /// Replays the stream in the other processes, which work at the same time.
    private mutating func compare(
        _ replayed: inout Replayed, _ report: ReplayReport, _ stream: StreamInfo, _ states: [Int: Int],
        every stride: Int
    ) throws {
        let others = try (1...Self.count(steps: report.lastStep - report.firstStep)).map { try children.child($0) }
        for other in others { try other.send(request(stream, every: stride)) }
        var known = Known(report: report, states: states)
        for (index, other) in others.enumerated() {
            replayed.processes += 1
            guard let found = try divergence(other, stream, &known, continues: true) else { continue }
            replayed.report?.divergence = found
            // The answers of the others are read, so that they can get another request.
            for rest in others[(index + 1)...] { try rest.receive { _ in true } }
            guard stride > 1, found.kind == .process else { return }
            // The difference began after the last equal state: compare every step. It may not occur again.
            (known.states, known.equalUpTo) = ([:], found.lastGood)
            try other.send(request(stream, every: 1))
            guard let nearer = try divergence(other, stream, &known, continues: false) else { return }
            replayed.report?.divergence = nearer
            return
        }
    }

    /// What the first process computed.
    private struct Known {
        var report: ReplayReport
        /// The hash values of the encoded states: equal texts need no comparison by value.
        var states: [Int: Int]
        /// Up to this step the other process computed the same before.
        var equalUpTo = 0
        /// Compares states by value.
        var session: PluginSession?
    }

    /// Compares the states of another process, whose request was sent, with those of the first one.
    ///
    /// - Parameter continues: Whether to read all its answers, so that it can get another request.
    private mutating func divergence(
        _ other: ReplayChild, _ stream: StreamInfo, _ known: inout Known, continues: Bool
    ) throws -> Divergence? {
        var found: Divergence?
        var lastGood = known.report.firstStep
        let report = try report(of: other) { step, state in
            // An app may have added steps meanwhile.
            guard found == nil, step <= known.report.lastStep else { return true }
            if step > known.equalUpTo, known.states[step] != state.hashValue {
                let session = try known.session ?? session(stream)
                known.session = session
                let changes = try session.changes(fromState: state, toVerified: step)
                if !changes.isEmpty {
                    found = Divergence(kind: .process, step: step, lastGood: lastGood, action: nil, changes: changes)
                    return continues
                }
            }
            lastGood = step
            return true
        }
        guard var first = found ?? report?.divergence else { return nil }
        if first.action == nil, let entry = try reader.entries(in: stream.name, from: first.step, limit: 1).first {
            first.action = ActionName.of(entry.action)
        }
        return first
    }

    /// Reads the answers of a child until `take` returns false.
    private func report(
        of child: ReplayChild, _ progress: (Int, Int) -> Void = { _, _ in }, _ take: (Int, String) throws -> Bool
    ) throws -> ReplayReport? {
        var report: ReplayReport?
        try child.receive { answer in
            if let reached = answer.progress { progress(reached.step, reached.last) }
            report = answer.report ?? report
            guard let step = answer.number, let state = answer.state else { return true }
            return try take(step, state)
        }
        return report
    }

    private mutating func session(_ stream: StreamInfo) throws -> PluginSession {
        try PluginSession(
            children.child(0), machine: stream.machine, version: 0, ReplayRequest(reader: reader, stream: stream.name))
    }

    private func request(_ stream: StreamInfo, every stride: Int) -> PluginRequest {
        PluginRequest(act: .verify, machine: stream.machine, file: file, stream: stream.name, every: stride)
    }

    /// The error for a process that ended during a replay: replays the stream once more, to find the step.
    private mutating func crash(_ stream: StreamInfo, _ ended: ReplayChild.Ended) throws -> JournalError {
        var last: Int?
        do {
            let child = try children.child(0)
            try child.send(request(stream, every: 1))
            _ = try report(of: child) { step, _ in
                last = step
                return true
            }
            return ended.error(
                "It did not end when it replayed the stream again.", file: file, stream: stream.name)
        } catch is ReplayChild.Ended {}
        guard let last else {
            return ended.error(
                "It ends before it reduces a step: correct what reads or writes the state, such as `init(from:)`, or "
                    + "what the program does before it calls the tool.", file: file, stream: stream.name)
        }
        guard try last < reader.decidedStep(of: reader.stream(stream.name)) else {
            return ended.error(
                "The reducer crashes when it reduces the step of a live effect again from the snapshot before it, as "
                    + "an opening does: correct it.", file: file, stream: stream.name)
        }
        return ended.error(
            try advice(forCrashAt: last + 1, of: stream), file: file, stream: stream.name, step: last + 1)
    }

    private func advice(forCrashAt step: Int, of stream: StreamInfo) throws(JournalError) -> String {
        let isSettled = try reader.stream(stream.name).settledStep >= step
        let crashes = "The reducer crashes at this step: correct it"
        guard isSettled else { return crashes + ", or leave the step out with `skip`." }
        // A settled step cannot be skipped, and a fork keeps at least one step.
        guard step > 1 else { return crashes + "." }
        return crashes + ", or continue with `fork --at \(step - 1)`, a copy without this step."
    }
}
