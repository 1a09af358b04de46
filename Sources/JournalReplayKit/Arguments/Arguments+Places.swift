import JournalStore

// The arguments that most commands share: a stream, and a step or a time in it.

extension Arguments {
    /// The stream that `--stream` names; without the option, the only stream, or the only one that has steps.
    func theStream(_ reader: JournalReader) throws -> String {
        if let name = self[.stream] {
            // Throws now if the stream is unknown, before any other argument is used.
            return try reader.stream(name).name
        }
        let streams = try reader.streams()
        // A fork keeps a stream that sent messages to the forked one as an empty stream, without steps.
        let filled = streams.filter { $0.headStep > 0 }
        guard let only = streams.count == 1 ? streams.first : filled.count == 1 ? filled.first : nil else {
            throw UsageError("The journal has \(streams.count) streams: name one with --stream.")
        }
        return only.name
    }

    /// The step that a positional argument names: a number, or `last`.
    ///
    /// - Parameter lowest: The lowest accepted number; 0 if the command accepts the state before the first step.
    func step(_ positional: Positional, lowest: Int = 0, _ stream: String, _ reader: JournalReader) throws -> Int {
        guard let place = Place(self[positional]), case .step(let step) = place else {
            throw UsageError("\(positional.name) must be a step or 'last', not '\(self[positional])'.")
        }
        guard step >= lowest else { throw UsageError("\(positional.name) must be \(lowest) or more.") }
        return try place.step(stream, reader)
    }
}

/// A place in a stream as given on the command line: a step, `last`, or a time.
enum Place: Hashable, Sendable {
    case step(Int)
    case time(Timestamp)

    static let option = Option<Place>(
        "at", "STEP|TIME", help: "The step, or the last step up to a time. The default is 'last'; 0 is before step 1.",
        expected: "a step, 'last', or a time such as 2025-12-31T23:59:59Z"
    ) { Place($0) }

    init?(_ text: String) {
        if text == "last" {
            self = .step(.max)
        } else if let step = Int(text), step >= 0 {
            self = .step(step)
        } else if let time = Timestamp(iso: text) {
            self = .time(time)
        } else {
            return nil
        }
    }

    /// The step that this place names; `last` is the newest step.
    func step(_ stream: String, _ reader: JournalReader) throws -> Int {
        let info = try reader.stream(stream)
        switch self {
        case .time(let time): return try reader.lastStep(of: stream, notAfter: time)
        case .step(.max): return info.headStep
        case .step(let step):
            guard step <= info.headStep else {
                throw JournalError(
                    .noSuchStep, "The stream ends at step \(info.headStep).", advice: "Choose an existing step.",
                    file: reader.file, stream: stream, step: step)
            }
            return step
        }
    }
}

extension OptionRow where Self == Option<String> {
    /// The stream, for commands that work on exactly one.
    static var theStream: Self {
        .text("stream", "NAME", help: "The stream; required only if the journal has several.")
    }
}

extension OptionRow where Self == Option<Int> {
    /// The steps to leave out of a what-if replay.
    static var without: Self {
        .count(
            "without", "STEP",
            help: "Replay without this step; all other entries stay as they are. May be given several times.")
    }
}
