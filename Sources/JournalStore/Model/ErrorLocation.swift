/// The file, stream and step that an error names.
struct ErrorLocation: Sendable {
    var file: String?
    var stream: String
    var step: Int?

    /// The file as a word of a command in an advice.
    var fileWord: String { file.map(ShellWord.quoted) ?? "FILE" }

    func at(_ step: Int) -> ErrorLocation {
        ErrorLocation(file: file, stream: stream, step: step)
    }

    func error(_ code: JournalError.Code, _ message: String, advice: String = "") -> JournalError {
        JournalError(code, message, advice: advice, file: file, stream: stream, step: step)
    }
}
