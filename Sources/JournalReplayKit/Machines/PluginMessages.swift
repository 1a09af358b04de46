import JournalStore

// The messages between the tool and a library, or another process of the tool: one request and its answers, each a line
// of JSON.

/// A request of the tool.
struct PluginRequest: Codable, Sendable {
    enum Act: String, Codable, Sendable {
        case machines, open, close, state, step, changes, compare, compareVerified, states, verify
    }

    var act: Act
    /// The session, as returned by `open`; nil for a session of this request alone, on `stream` of `file`.
    var session: Int?
    var machine: String?
    var file: String?
    var stream: String?
    var without: [Int]?
    var from: Int?
    var to: Int?
    var every: Int?
    /// The state to compare with.
    var text: String?
}

/// An answer; only the fields that answer the request are set.
struct PluginAnswer: Codable, Sendable {
    struct Machine: Codable, Sendable {
        var name: String
        var version: Int
    }

    /// The progress of a long replay.
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

/// A ``JournalError`` in a form that can be encoded.
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
