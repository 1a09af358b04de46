import JournalStore

// The arguments that most commands share: a stream, and a step or a time in it.

extension Positional {
    /// The stream to which a list is limited.
    static let stream = Positional(name: "STREAM", help: "Only this stream.", completion: .nothing, isOptional: true)

    /// The stream, for commands that work on exactly one.
    static let theStream = Positional(
        name: "STREAM", help: "The stream; required only if the journal has several.", completion: .nothing,
        isOptional: true)

    /// A place in the stream, for commands that begin at one.
    static let place = Positional(
        name: "STEP", help: "The step, 'last', or a time. The default is 'last'.", completion: .nothing,
        isOptional: true, form: placeForm)

    private static let placeForm = Form(expected: Place.expected) { Place($0) != nil }

    /// A step that must be named.
    static func step(help: String, lowest: Int) -> Positional {
        Positional(
            name: "STEP", help: help, completion: .nothing,
            form: Form(expected: "'last' or a step of \(lowest) or more") { Place(step: $0, lowest: lowest) != nil })
    }

    /// A step or a time that must be named.
    static func stepOrTime(_ name: String, help: String) -> Positional {
        Positional(name: name, help: help, completion: .nothing, form: placeForm)
    }
}

extension Arguments {
    /// The stream that is named: after the file, or with `--stream`.
    func namedStream() throws(UsageError) -> String? {
        guard let name = namedStreams.first else { return nil }
        if let other = namedStreams.first(where: { ByteName($0) != ByteName(name) }) {
            throw UsageError("Two streams are named: '\(name)' and '\(other)'.")
        }
        return name
    }

    /// The streams that are named, for commands that work on several.
    var namedStreams: [String] {
        (positionals[Positional.stream.name].map { [$0] } ?? []) + all(.stream)
    }

    /// The named stream; if none is named, the only stream, or the only one that has steps.
    func theStream(_ reader: JournalReader) throws -> String {
        let (name, streams) = try streamOrChoice(reader)
        guard let name else {
            var error = UsageError.several(streams)
            let words = Self.wordsLikeStreams.lazy.compactMap { name, what in positionals[name].map { ($0, what) } }
            if let (word, what) = words.first(where: { word, _ in
                streams.contains { ByteName($0.name) == ByteName(word) }
            }) {
                error.message += " " + Self.wasRead(word, as: what)
            }
            throw error
        }
        return name
    }

    /// The positional arguments whose values can also be the name of a stream, and what they are.
    private static let wordsLikeStreams = [("STEP", "step"), ("EFFECT", "effect"), ("A", "step")]

    private static func wasRead(_ word: String, as what: String) -> String {
        "'\(word)' was read as the \(what): --stream=\(ShellWord.quoted(word)) names the stream."
    }

    /// The same; if the journal has several streams and none is named, `choose` selects one.
    func theStream(_ reader: JournalReader, _ choose: ([StreamInfo]) -> String?) throws -> String? {
        let (name, streams) = try streamOrChoice(reader)
        return name ?? choose(streams)
    }

    /// The stream; nil if it is one of several, which are returned too.
    private func streamOrChoice(_ reader: JournalReader) throws -> (name: String?, streams: [StreamInfo]) {
        // Throws now if the stream is unknown, before any other argument is used.
        if let name = try namedStream() { return (try reader.stream(name).name, []) }
        let streams = try reader.streams()
        guard !streams.isEmpty else {
            throw JournalError(
                .unknownStream, "The journal has no stream yet.", advice: "The app creates a stream when it opens it.",
                file: reader.file)
        }
        return (Arguments.only(of: streams)?.name, streams)
    }

    /// The stream that is meant if none is named: the only one, or the only one with steps. A fork keeps a stream that
    /// sent messages to the forked one as an empty stream.
    static func only(of streams: [StreamInfo]) -> StreamInfo? {
        let filled = streams.filter { $0.headStep > 0 }
        return streams.count == 1 ? streams.first : filled.count == 1 ? filled.first : nil
    }

    /// Refuses the name of a stream as the value of an argument that can be any text: STREAM was given, and this
    /// argument forgotten.
    func checkIsGiven(_ positional: Positional, _ reader: JournalReader) throws {
        if let word = try strayStream(positional, reader) {
            throw UsageError("\(positional.name) is missing: '\(word)' is a stream.")
        }
    }

    /// Refuses the name of a stream as the value of an argument that was read as something else.
    func checkIsGiven(_ positional: Positional, readAs what: String, _ reader: JournalReader) throws {
        if let word = try strayStream(positional, reader) { throw UsageError(Self.wasRead(word, as: what)) }
    }

    /// The value of an argument that is the name of a stream, if no stream is named.
    private func strayStream(_ positional: Positional, _ reader: JournalReader) throws -> String? {
        let word = self[positional]
        guard try namedStream() == nil else { return nil }
        return try reader.streams().contains { ByteName($0.name) == ByteName(word) } ? word : nil
    }

    /// The step with a state that a positional argument names: a number, `last`, or a time.
    func step(_ positional: Positional, _ stream: String, _ reader: JournalReader) throws -> Int {
        try (Place(self[positional]) ?? .last).step(stream, reader)
    }

    /// The entry that a positional argument names: a number, or `last`.
    func entry(_ positional: Positional, _ stream: String, _ reader: JournalReader) throws -> Int {
        try (Place(step: self[positional]) ?? .last).entry(stream, reader)
    }

    /// The place that STEP or `--at` names; nil if neither is given.
    func place() throws(UsageError) -> Place? {
        let word = positionals[Positional.place.name]
        if word != nil, self[Place.option] != nil { throw UsageError("STEP and '--at' exclude each other.") }
        return word.flatMap { Place($0) } ?? self[Place.option]
    }
}

extension UsageError {
    /// A stream must be named.
    static func several(_ streams: [StreamInfo]) -> UsageError {
        let names = streams.map(\.name)
        let listed = names.count <= 5 ? ": " + names.map(word).joined(separator: ", ") : "; `streams` lists them"
        return UsageError("The journal has \(names.count) streams: name one after FILE\(listed).")
    }

    /// The stream as it can be typed there: a dash would begin an option.
    private static func word(_ stream: String) -> String {
        (stream.hasPrefix("-") ? "--stream=" : "") + ShellWord.quoted(stream)
    }
}

/// A place in a stream as given on the command line: a step, `last`, or a time.
enum Place: Hashable, Sendable {
    case last
    case step(Int)
    case time(Timestamp)

    static let expected = "a step of 0 or more, 'last', or \(Timestamp.examples)"

    static let option = Option<Place>(
        "at", "STEP|TIME", help: "The step, or the last step up to a time. The default is 'last'; 0 is before step 1.",
        expected: expected
    ) { Place($0) }

    /// A step or `last`, but not a time.
    init?(step text: String, lowest: Int = 0) {
        switch Place(text) {
        case .last: self = .last
        case .step(let step) where step >= lowest: self = .step(step)
        default: return nil
        }
    }

    init?(_ text: String) {
        if text == "last" {
            self = .last
        } else if let step = Int(digits: text) {
            self = .step(step)
        } else if let time = Timestamp(argument: text) {
            self = .time(time)
        } else {
            return nil
        }
    }

    /// The step that this place names; `last` is the newest one whose state can be computed.
    func step(_ stream: String, _ reader: JournalReader) throws -> Int {
        if self == .last { return try reader.decidedStep(of: reader.stream(stream)) }
        return try entry(stream, reader)
    }

    /// The step that this place names; `last` is the newest one.
    func entry(_ stream: String, _ reader: JournalReader) throws -> Int {
        let info = try reader.stream(stream)
        switch self {
        case .time(let time): return try reader.knownLastStep(in: stream, atOrBefore: time)
        case .last: return info.headStep
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
    /// The stream, for a name that would be read as another argument.
    static var stream: Self {
        .text("stream", "NAME", help: streamHelp)
    }

    /// The same, for commands that work on several streams.
    static var streams: Self {
        .text("stream", "NAME", help: streamHelp).asList
    }

    private static var streamHelp: String {
        "The same as STREAM, for a name that reads as a step, an option or a command."
    }
}

extension OptionRow where Self == Option<Int> {
    /// The steps to leave out of a what-if replay.
    static var without: Self {
        .count("without", "STEP", help: "Replay without this step; all other entries stay as they are.").asList
    }
}
