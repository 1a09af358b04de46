import JournalStore

extension Command {
    /// `snapshot FILE`
    static let snapshot = Command(
        name: "snapshot",
        summary: "Take a snapshot of a state, or drop one.",
        discussion: """
            Takes a snapshot of the state after the last settled step, or after an earlier one that --at names; this \
            needs the machine. With --all, takes one of the last settled state of each stream whose machine is known, \
            so that newer code begins with it, and `verify` has something to compare with. A snapshot counts as the \
            state that its version of the machine has computed. So it is refused before a base, if another version has written the \
            newest snapshot, or has written the step and this version has not opened the stream since, which writes a \
            base; --all leaves such streams out. Dropping a snapshot loses no data but makes replays slower; a base \
            cannot be dropped, nor a snapshot that entries before the base begin with.
            """ + Writing.manners,
        positionals: [.file, .theStream],
        options: [.stream, place, drop, all, .yes, Machines.option],
        keys: keys.map(\.row),
        work: .replaying { arguments, reader, output, machines in
            if arguments[drop] != nil, arguments[place] != nil {
                throw UsageError("'--drop' and '--at' exclude each other.")
            }
            if arguments[all] {
                guard try arguments.namedStream() == nil, arguments[drop] == nil, arguments[place] == nil else {
                    throw UsageError("'--all' excludes a stream, '--drop' and '--at'.")
                }
                return try await takeAll(arguments, reader, output, machines)
            }
            let stream = try arguments.theStream(reader)
            let isDone = arguments[.yes]
            let done: Done
            if let step = arguments[drop] {
                let kept = try reader.snapshotToDrop(of: stream, at: step)
                done = Done(stream: stream, act: "drop", step: step, bytes: kept.stateBytes, isDone: isDone)
                if isDone { try await reader.writing { try await $0.dropSnapshot(of: stream, at: step) } }
            } else {
                let session = try machines.session(on: stream, reader)
                let info = try reader.stream(stream)
                let step = try settledStep(arguments[place] ?? .last, info, reader)
                try refuseBeforeBase(step, info, reader)
                if let other = try otherVersion(than: session.version, at: step, of: info, reader) {
                    throw other.refusal(version: session.version, info, reader)
                }
                let state = try session.state(at: step)
                let kept = try reader.newestMark(of: info, atOrBefore: step)
                let hasBase = kept.map { $0.step == step && $0.isBase } ?? false
                done = Done(
                    stream: stream, act: "take", step: step, bytes: state.utf8.count, isDone: isDone && !hasBase,
                    hasBase: hasBase)
                if done.isDone {
                    try await reader.writing { journal in
                        let open = try await journal.openStream(stream, machine: info.machine)
                        try await open.saveSnapshot(state, at: step, version: session.version)
                        try await open.close()
                    }
                }
            }
            if output.isJSON { try output.object(done, keys) } else { try output.line(done.sentence) }
            return .fine
        })

    /// Takes a snapshot of the last settled state of each stream that has none: an opening begins with no later one.
    private static func takeAll(
        _ arguments: Arguments, _ reader: JournalReader, _ output: Output, _ machines: Machines
    ) async throws -> ExitCode {
        let all = try reader.streams()
        let streams = all.filter { stream in
            stream.settledStep > stream.prunedStep && machines.knows(stream)
        }
        if streams.isEmpty, let first = all.first(where: { !machines.knows($0) }) {
            _ = try machines.session(on: first.name, reader)
        }
        let states = NewestStates(
            reader: reader, machines: machines, children: ReplayChildren(arguments: arguments), settledOnly: true)
        let isDone = arguments[.yes]
        var tally = Tally()
        tally.unsettled = all.filter { stream in
            stream.headStep > 0 && stream.settledStep == 0 && machines.knows(stream)
        }.map(\.name)
        for stream in streams {
            guard let version = machines.version(of: stream) else { continue }
            let other = try otherVersion(than: version, at: stream.settledStep, of: stream, reader)
            if other != nil { tally.others.insert(ByteName(stream.name)) }
        }
        let take = { (journal: Journal?) in
            let missing = try streams.filter { stream in
                let newest = try reader.newestMark(of: stream, atOrBefore: stream.settledStep)
                let isThere = newest.map { $0.step == stream.settledStep && !$0.isDamaged } ?? false
                return !tally.others.contains(ByteName(stream.name)) && !isThere
            }
            try await states.forEach(missing) { stream, answer in
                let state: String
                switch answer {
                case .success(let text): state = text
                case .failure(let error):
                    tally.failed += 1
                    if tally.failed <= 5 { output.warning(error.description) }
                    return
                }
                let step = stream.settledStep
                if let journal, let version = machines.version(of: stream) {
                    let open = try await journal.openStream(stream.name, machine: stream.machine)
                    try await open.saveSnapshot(state, at: step, version: version)
                    try await open.close()
                }
                tally.streams += 1
                tally.bytes += state.utf8.count
                let done = Done(stream: stream.name, act: "take", step: step, bytes: state.utf8.count, isDone: isDone)
                if output.isJSON { try output.object(done, keys) }
            }
        }
        if isDone { try await reader.writing(take) } else { try await take(nil) }
        if !output.isJSON { try output.line(tally.sentence(isDone)) }
        if tally.failed > 0 {
            output.warning("\(Quantity.counted(tally.failed, "stream", "streams")) could not be computed.")
        }
        if let first = tally.unsettled.first {
            let whose =
                tally.unsettled.count == 1
                ? "The stream '\(first)' has"
                : "\(Quantity.grouped(tally.unsettled.count)) streams, such as '\(first)', have"
            try output.note(
                "\(whose) no settled step, and so no state to save. The app settles the steps when it opens the stream."
            )
        }
        if let first = tally.others.map(\.name).min() {
            let which =
                tally.others.count == 1
                ? "The stream '\(first)' was"
                : "\(Quantity.grouped(tally.others.count)) streams, such as '\(first)', were"
            output.warning("\(which) written by another version of the machine: use the tool of that version.")
        }
        return tally.failed > 0 || !tally.others.isEmpty ? .failed : .fine
    }

    /// The step whose state is to be kept. A step that is not settled can still be skipped, and its state with it.
    private static func settledStep(_ place: Place, _ info: StreamInfo, _ reader: JournalReader) throws -> Int {
        let settled = info.settledStep
        let step = place == .last ? settled : try place.step(info.name, reader)
        if settled == 0, info.headStep > 0 {
            throw JournalError(
                .notInThatState, "No step of the stream is settled.",
                advice: "The app settles them when it opens the stream.",
                file: reader.file, stream: info.name)
        }
        guard step <= settled else {
            throw JournalError(
                .notInThatState, "This step is not settled: the last settled step is \(settled).",
                advice: "Choose a step up to that one. The app settles the others when it opens the stream.",
                file: reader.file, stream: info.name, step: step)
        }
        guard step > 0 else {
            throw JournalError(
                .noSuchStep, "This is the state before the first step, of which there is no snapshot.",
                advice: "Choose step \(max(1, info.prunedStep)) or a later one.", file: reader.file, stream: info.name,
                step: step)
        }
        return step
    }

    /// Refuses a step before a base: what an older version has computed for it would be hidden by what this one computes.
    private static func refuseBeforeBase(_ step: Int, _ info: StreamInfo, _ reader: JournalReader) throws {
        guard let base = try reader.snapshotMarks(of: info).last(where: \.isBase), base.step > step else { return }
        if step < info.prunedStep {
            var error = reader.prunedSteps(info.prunedStep, step, of: info)
            error.advice = "Choose step \(base.step) or a later one."
            throw error
        }
        throw JournalError(
            .notInThatState,
            "Version \(base.version) of the machine '\(info.machine)' began with the state of step \(base.step): a snapshot "
                + "of an earlier step would hide what an older version had computed.",
            advice: "Choose step \(base.step) or a later one.", file: reader.file, stream: info.name, step: step)
    }

    /// What another version of the machine has written. A snapshot would count as that version's own, and hide what it
    /// had computed.
    private static func otherVersion(
        than version: Int, at step: Int, of stream: StreamInfo, _ reader: JournalReader
    ) throws -> OtherVersion? {
        let mark = try reader.newestMark(of: stream)
        if let mark, mark.version != version {
            return OtherVersion(version: mark.version, what: "the snapshot of step", step: mark.step)
        }
        if let entry = try reader.entries(in: stream.name, from: step, limit: 1).first, entry.version != version,
            // Once an opening of this version has left its base after the step, its state counts already.
            entry.step > mark?.step ?? 0,
            // A message has the version that its sender knew.
            mark == nil || entry.origin != .machine
        {
            return OtherVersion(version: entry.version, what: "step", step: entry.step)
        }
        return nil
    }

    private struct OtherVersion {
        var version: Int
        var what: String
        var step: Int

        func refusal(version tool: Int, _ stream: StreamInfo, _ reader: JournalReader) -> JournalError {
            JournalError(
                .notInThatState,
                "Version \(version) of the machine '\(stream.machine)' has written \(what) \(step), and this is "
                    + "version \(tool): its snapshot would hide what version \(version) had computed.",
                advice: "Use the tool of version \(version)"
                    + (version < tool
                        ? ", or let the app of version \(tool) open the stream first: that writes a base." : "."),
                file: reader.file, stream: stream.name)
        }
    }

    private struct Tally {
        /// The streams that another version has written to.
        var others: Set<ByteName> = []
        /// The streams whose outcomes are not recorded yet.
        var unsettled: [String] = []
        var streams = 0
        var failed = 0
        var bytes = 0

        func sentence(_ isDone: Bool) -> String {
            if streams == 0, failed == 0, others.isEmpty {
                return unsettled.isEmpty
                    ? "No snapshot is missing: there is nothing to do."
                    : "No settled state lacks a snapshot: there is nothing to do."
            }
            let whole =
                "the settled states of \(Quantity.counted(streams, "stream", "streams")), "
                + "\(Quantity.bytes(Int64(bytes)))"
            if isDone { return "Saved \(whole)." }
            return streams == 0 ? "Nothing can be saved." : "Would save \(whole). \(Writing.remark)"
        }
    }

    private struct Done {
        var stream: String
        var act: String
        var step: Int
        var bytes: Int
        var isDone: Bool
        /// Whether the step has a base, which no snapshot replaces.
        var hasBase = false

        var sentence: String {
            let place = "snapshot of step \(step) of the stream '\(SafeText.escape(stream))'"
            if hasBase { return "There is a \(place) already, a base: there is nothing to do." }
            let size = Quantity.bytes(Int64(bytes))
            let (past, infinitive, article) = act == "take" ? ("Saved", "save", "a") : ("Dropped", "drop", "the")
            return isDone
                ? "\(past) \(article) \(place) (\(size))."
                : "Would \(infinitive) \(article) \(place) (\(size)). \(Writing.remark)"
        }
    }

    private static let place = Option<Place>(
        "at", "STEP|TIME", help: "The step, or the last step up to a time. The default is the last settled step.",
        expected: Place.expected
    ) { Place($0) }
    private static let all = Flag(
        "all", help: "Take a snapshot of the last settled state of each stream that has none.")
    private static let drop = Option<Int>.count("drop", "STEP", help: "Drop the snapshot of this step.")

    private static let keys: [Key<Done>] = [
        Key("stream", "the stream") { .text($0.stream) },
        Key("act", "take or drop") { .text($0.act) },
        Key("step", "the step of the snapshot") { .number($0.step) },
        Key("bytes", "the size of the state") { .number($0.bytes) },
        Key("done", "whether it was done; false without --yes, and if the step has a base") { .bool($0.isDone) },
    ]
}
