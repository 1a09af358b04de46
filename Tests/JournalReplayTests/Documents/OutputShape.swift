import Foundation
import JournalStore

@testable import JournalReplayKit

/// What two runs of the same command have in common: its output without what depends on the day, the machine and the
/// journal.
struct OutputShape {
    /// The folder that stands for `/home/ann`.
    var folder: String

    /// A line that stands for any lines.
    private static let anything = "…"

    /// Whether an output is as the document shows it. Nothing shown means that nothing is compared.
    func matches(_ output: String, shown: [String]) -> Bool {
        guard !shown.isEmpty else { return true }
        let found = lines(output.components(separatedBy: "\n"))
        let shown = lines(shown)
        let parts = shown.split(separator: Self.anything, maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return found == shown }
        return found.count >= shown.count - 1 && found.starts(with: parts[0])
            && found.reversed().starts(with: parts[1].reversed())
    }

    private func lines(_ lines: [String]) -> [String] {
        var lines = lines.filter { !isOfSwiftPM($0) }.map(shape)
        while lines.last == "" { lines.removeLast() }
        return lines
    }

    private func shape(_ line: String) -> String {
        line.replacing(folder, with: "/home/ann")
            .replacing(#/20\d\d-\d\d-\d\dT[0-9:.]+Z/#, with: "TIME")
            .replacing(#/[0-9a-f]{32}/#, with: "DIGEST")
            .replacing(#/\(\d+ (s|minutes?|hours?|days?)\)/#, with: "(AGE)")
            .replacing(#/[0-9.]+ [kKMG]?B \([0-9,]+ bytes\)/#, with: "SIZE")
            .replacing(#/SQLite +\d+\.\d+.*/#, with: "SQLite VERSION")
            .replacing(#/\|\d+\.\d+/#, with: "|SECONDS")
            // The shell adds a number and the command, or nothing.
            .replacing(#/^.*\bKilled\b.*$/#, with: "Killed")
            .replacing("  \(UserName.current)  ", with: "  ann  ").replacing("|\(UserName.current)|", with: "|ann|")
            .replacing(#/ {2,}/#, with: "  ").replacing(#/ +$/#, with: "")
    }

    private func isOfSwiftPM(_ line: String) -> Bool {
        line.contains(#/^(\[\d+\/\d+\]|Building for|Build |Compiling|Fetch|Updat|Comput|Resolv|Creating)/#)
    }
}
