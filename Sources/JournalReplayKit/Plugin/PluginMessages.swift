import JournalStore

// What crosses between the tool and a library: one request, and the answers to it, a line of JSON each.

/// What the tool asks for.
struct PluginRequest: Codable, Sendable {
    enum Act: String, Codable, Sendable {
        case machines, open, close, state, step, changes, compare, states, verify
    }

    var act: Act
    /// Of a stream that was opened.
    var session: Int?
    var machine: String?
    var file: String?
    var stream: String?
    var without: [Int]?
    var from: Int?
    var to: Int?
    var every: Int?
    /// A state.
    var text: String?
}

/// An answer; what is not asked for is not there.
struct PluginAnswer: Codable, Sendable {
    struct Machine: Codable, Sendable {
        var name: String
        var version: Int
    }

    /// How far a long replay has come.
    struct Progress: Codable, Sendable {
        var step: Int
        var last: Int
    }

    var machines: [Machine]?
    var session: Int?
    var number: Int?
    var state: String?
    var step: StepView?
    var changes: [ValueDiff.Change]?
    var report: ReplayReport?
    var progress: Progress?
    var error: PluginError?
}

/// An error as text.
struct PluginError: Codable, Sendable {
    var code: String
    var message: String
    var advice: String
    var file: String?
    var stream: String?
    var step: Int?
    var underlying: Int32?

    init(_ error: JournalError) {
        (code, message, advice) = (error.code.rawValue, error.message, error.advice)
        (file, stream, step, underlying) = (error.file, error.stream, error.step, error.underlying)
    }

    var error: JournalError {
        JournalError(
            JournalError.Code(rawValue: code), message, advice: advice, file: file, stream: stream, step: step,
            underlying: underlying)
    }
}
