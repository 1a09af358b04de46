import JournalStore

/// Shows the progress of a long replay on standard error, if that is a terminal that can be redrawn.
final class Progress: Sendable {
    private let start = Platform.wallClock()
    private let isWanted: Bool
    private let shown = Lock<Int>(-1)

    init(isWanted: Bool = System.isTerminal(System.standardError) && System.canRedraw) {
        self.isWanted = isWanted
    }

    /// How long a replay runs before its progress is shown, in microseconds.
    private static let patience = 1_000_000

    /// - Parameter doing: The verb and the noun of the text: "reduced 10 of 20 steps".
    func show(_ done: Int, of last: Int, _ doing: (verb: String, things: String) = ("reduced", "steps")) {
        guard isWanted, last > 0, Platform.wallClock() - start > Progress.patience else { return }
        let percent = done * 100 / last
        let isNew = shown.withLock { shown in
            defer { shown = percent }
            return percent != shown
        }
        guard isNew else { return }
        write("\(doing.verb) \(Quantity.grouped(done)) of \(Quantity.grouped(last)) \(doing.things), \(percent) %")
    }

    /// Erases the progress line.
    func end() {
        let wasShown = shown.withLock { shown in
            defer { shown = -1 }
            return shown >= 0
        }
        if wasShown { write("") }
    }

    /// Replaces the current line: https://www.xfree86.org/current/ctlseqs.html, "erase in line".
    private func write(_ text: String) {
        // Only one row can be erased.
        let room = System.screenSize(System.standardError).map { $0.columns - 1 } ?? .max
        let text = DisplayWidth.clip(text, to: room)
        _ = Array("\r\u{1B}[K\(text)".utf8).withUnsafeBytes { System.write($0, to: System.standardError) }
    }
}
