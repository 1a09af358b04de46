import JournalStore

/// The output of a command: data goes to standard output, everything else to standard error.
///
/// Data is buffered and written in large pieces. The buffer is flushed before a note or an error is written, so that
/// the two keep their order on a terminal.
final class Output {
    /// Standard output could not be written.
    struct Failure: Error {
        var code: Int32
    }

    /// Whether data is written as JSON, for a program.
    let isJSON: Bool
    /// The style of standard output.
    let style: Style
    let tool: ToolName
    private let errorStyle: Style
    private let writer: (UnsafeRawBufferPointer, Int32) -> Int32
    private var buffer: [UInt8] = []
    /// Why data could not be written before a message on standard error.
    private var failure: Failure?
    private var json = JSONOutput(capacity: 1024)

    private static let capacity = 1 << 16

    init(
        tool: ToolName, isJSON: Bool = false, color: ColorChoice = .auto,
        writer: @escaping (UnsafeRawBufferPointer, Int32) -> Int32 = System.write
    ) {
        self.tool = tool
        self.isJSON = isJSON
        self.writer = writer
        func style(_ descriptor: Int32) -> Style {
            Style(color, isTerminal: System.isTerminal(descriptor), environment: System.environment)
        }
        self.style = isJSON ? .plain : style(System.standardOutput)
        errorStyle = style(System.standardError)
    }

    deinit {
        json.free()
    }

    // MARK: Data

    /// Writes a line for people. The caller escapes text from a file with ``SafeText``.
    func line(_ text: String) throws(Failure) {
        buffer.append(contentsOf: text.utf8)
        try endLine()
    }

    func line(_ write: (inout JSONOutput) -> Void) throws(Failure) {
        json.removeAll()
        write(&json)
        buffer.append(contentsOf: json.bytes)
        try endLine()
    }

    /// Writes data that already consists of whole lines.
    func data(_ bytes: [UInt8]) throws(Failure) {
        try flush()
        let code = bytes.withUnsafeBytes { writer($0, System.standardOutput) }
        guard code == 0 else { throw Failure(code: code) }
    }

    private func endLine() throws(Failure) {
        buffer.append(UInt8(ascii: "\n"))
        if buffer.count >= Output.capacity { try flush() }
    }

    /// Writes the buffered data.
    ///
    /// - Throws: also if data could not be written before.
    func flush() throws(Failure) {
        if let failure { throw failure }
        guard !buffer.isEmpty else { return }
        defer { buffer.removeAll(keepingCapacity: true) }
        let code = buffer.withUnsafeBytes { writer($0, System.standardOutput) }
        guard code == 0 else {
            failure = Failure(code: code)
            throw Failure(code: code)
        }
    }

    // MARK: Everything else

    /// Writes a remark to standard error.
    func note(_ text: String) throws(Failure) {
        try flush()
        say(errorStyle.headline(own(text)))
    }

    /// Writes an error message, after the buffered data if that can still be written.
    func error(_ text: String, _ more: [String] = []) {
        try? flush()
        say(errorStyle.problem("Error:") + " " + own(text))
        for line in more { say(line) }
    }

    /// Writes a warning; the command continues.
    func warning(_ text: String) {
        try? flush()
        say(errorStyle.problem("Warning:") + " " + own(text))
    }

    /// A text of the library, safe for a terminal and with the commands as people type them here.
    func own(_ text: String) -> String {
        SafeText.escape(tool.inCommands(of: text))
    }

    private func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        // A failure is ignored: there is nowhere left to report it.
        _ = bytes.withUnsafeBytes { writer($0, System.standardError) }
    }
}
