import JournalStore

// What most commands are about: one stream, and a place in it.

extension Arguments {
    /// The stream that is meant: where there is only one, it need not be said.
    func theStream(_ reader: JournalReader) throws -> String {
        if let name = self[.stream] {
            // An unknown one is an error at once, whatever else is asked for.
            return try reader.stream(name).name
        }
        let streams = try reader.streams()
        // What a fork keeps of others has no steps.
        let filled = streams.filter { $0.headStep > 0 }
        guard let only = streams.count == 1 ? streams.first : filled.count == 1 ? filled.first : nil else {
            throw UsageError("The journal has \(streams.count) streams: name one with --stream.")
        }
        return only.name
    }

    /// The step that a word stands for.
    ///
    /// - Parameter lowest: 0 where the state before the first step is something to ask for.
    func step(_ positional: Positional, lowest: Int = 0, _ stream: String, _ reader: JournalReader) throws -> Int {
        guard let place = Place(self[positional]), case .step(let step) = place else {
            throw UsageError("\(positional.name) is a step, or 'last', not '\(self[positional])'.")
        }
        guard step >= lowest else { throw UsageError("\(positional.name) is \(lowest) or more.") }
        return try place.step(stream, reader)
    }
}

/// A place in a stream, as people name it: a step, `last`, or a time.
enum Place: Hashable, Sendable {
    case step(Int)
    case time(Timestamp)

    static let option = Option<Place>(
        "at", "STEP|TIME", help: "The step, or the time, after which; by default the last step. 0 is before the first.",
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

    /// Its step; `last` is the newest there is.
    func step(_ stream: String, _ reader: JournalReader) throws -> Int {
        let info = try reader.stream(stream)
        switch self {
        case .time(let time): return try reader.lastStep(of: stream, notAfter: time)
        case .step(.max): return info.headStep
        case .step(let step):
            guard step <= info.headStep else {
                throw JournalError(
                    .noSuchStep, "The stream ends at step \(info.headStep).", advice: "Ask for a step that is there.",
                    file: reader.file, stream: stream, step: step)
            }
            return step
        }
    }
}

extension OptionRow where Self == Option<String> {
    /// The stream that a command is about, where one it must be.
    static var theStream: Self {
        .text("stream", "NAME", help: "The stream; need not be said where there is only one.")
    }
}

extension OptionRow where Self == Option<Int> {
    /// What if?
    static var without: Self {
        .count(
            "without", "STEP",
            help: "As if this step had not happened; all other entries are as they were. May be given several times.")
    }
}
