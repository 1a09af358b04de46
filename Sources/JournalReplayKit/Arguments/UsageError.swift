/// An error in the command line.
struct UsageError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, in a sentence.
    var message: String
    /// The word that was probably meant.
    var suggestion: String?
    /// The command on the line, if it is known.
    var command: String?
    /// The lines after the message that show the place of the error.
    var picture: [String] = []

    init(_ message: String, suggestion: String? = nil, command: String? = nil) {
        self.message = message
        self.suggestion = suggestion
        self.command = command
    }

    var description: String {
        message + (suggestion.map { " Did you mean '\($0)'?" } ?? "")
    }
}
