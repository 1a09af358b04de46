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

    /// - Parameters:
    ///   - demand: what must be given, such as "'--last' takes a number of 1 or more".
    ///   - word: what was given.
    init(_ demand: String, butNot word: String) {
        let isDigits = !word.isEmpty && word.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        self.init("\(demand), not '\(word)'\(isDigits && Int(word) == nil ? ", which is too large" : "").")
    }

    var description: String {
        message + (suggestion.map { " Did you mean '\($0)'?" } ?? "")
    }
}
