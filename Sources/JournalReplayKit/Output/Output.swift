import JournalStore

/// Where the words of a command go: data to standard output, everything else to standard error.
///
/// Data is gathered and written in large pieces; it goes out before anything is said on standard error, so that the two
/// keep their order on a terminal.
final class Output {
    /// Standard output could not be written.
    struct Failure: Error {
        var code: Int32
    }

    /// Whether data is for a program.
    let isJSON: Bool
    /// Of standard output.
    let style: Style
    private let errorStyle: Style
    private let writer: (UnsafeRawBufferPointer, Int32) -> Int32
    private var buffer: [UInt8] = []
    private var json = JSONOutput(capacity: 1024)

    private static let capacity = 1 << 16

    init(
        isJSON: Bool = false, color: ColorChoice = .auto,
        writer: @escaping (UnsafeRawBufferPointer, Int32) -> Int32 = System.write
    ) {
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

    /// A line for people. What comes from a file has been through ``SafeText``.
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

    /// Data that is whole lines already.
    func data(_ bytes: [UInt8]) throws(Failure) {
        try flush()
        let code = bytes.withUnsafeBytes { writer($0, System.standardOutput) }
        guard code == 0 else { throw Failure(code: code) }
    }

    private func endLine() throws(Failure) {
        buffer.append(UInt8(ascii: "\n"))
        if buffer.count >= Output.capacity { try flush() }
    }

    /// Hands out what was gathered.
    func flush() throws(Failure) {
        guard !buffer.isEmpty else { return }
        defer { buffer.removeAll(keepingCapacity: true) }
        let code = buffer.withUnsafeBytes { writer($0, System.standardOutput) }
        guard code == 0 else { throw Failure(code: code) }
    }

    // MARK: Everything else

    /// A remark that is no data.
    func note(_ text: String) throws(Failure) {
        try flush()
        say(errorStyle.headline(SafeText.escape(text)))
    }

    /// What went wrong. What was gathered before goes out first, as far as it can.
    func error(_ text: String, _ more: [String] = []) {
        try? flush()
        say(errorStyle.problem("Error:") + " " + SafeText.escape(text))
        for line in more { say(line) }
    }

    /// Something a person should know; the command goes on.
    func warning(_ text: String) {
        say(errorStyle.problem("Warning:") + " " + SafeText.escape(text))
    }

    private func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        // There is nowhere left to tell that this failed.
        _ = bytes.withUnsafeBytes { writer($0, System.standardError) }
    }
}
