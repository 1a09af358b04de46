/// A command line that makes no sense.
struct UsageError: Error, Hashable, Sendable {
    /// What is wrong, in a sentence.
    var message: String
    /// What may have been meant.
    var suggestion: String?
    /// The command it was for, where one is known.
    var command: String?

    init(_ message: String, suggestion: String? = nil, command: String? = nil) {
        self.message = message
        self.suggestion = suggestion
        self.command = command
    }

    var description: String {
        message + (suggestion.map { " Did you mean '\($0)'?" } ?? "")
    }
}
