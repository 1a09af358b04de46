import JournalStore

/// Shows the progress of a long replay on standard error, if that is a terminal.
final class Progress: Sendable {
    private let start = Platform.wallClock()
    private let isWanted = System.isTerminal(System.standardError)
    private let shown = Lock<Int>(-1)

    /// How long a replay runs before its progress is shown, in microseconds.
    private static let patience = 1_000_000

    func show(_ step: Int, of last: Int) {
        guard isWanted, last > 0, Platform.wallClock() - start > Progress.patience else { return }
        let percent = step * 100 / last
        let isNew = shown.withLock { shown in
            defer { shown = percent }
            return percent != shown
        }
        guard isNew else { return }
        write("reduced \(Quantity.grouped(step)) of \(Quantity.grouped(last)) steps, \(percent) %")
    }

    /// Erases the progress line.
    func end() {
        if shown.withLock({ $0 }) >= 0 { write("") }
    }

    /// Replaces the current line: https://www.xfree86.org/current/ctlseqs.html, "erase in line".
    private func write(_ text: String) {
        _ = Array("\r\u{1B}[K\(text)".utf8).withUnsafeBytes { System.write($0, to: System.standardError) }
    }
}
