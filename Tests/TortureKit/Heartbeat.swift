import Foundation
import JournalStore

/// The times at which processes were alive. Each appends the time to a file every 10 ms, from a thread of its own, so a
/// longer gap is one in which the machine did not run the process, or there was none. The file survives a kill.
package struct Heartbeat: Sendable {
    /// Gaps up to this long say nothing, in microseconds as all times here.
    private static let usual: Int64 = 30_000

    /// The longer gaps. The first one begins before all beats, the last one has no end.
    private let gaps: [Range<Int64>]

    /// - Throws: an error if no process has written the file.
    package init(_ path: String) throws {
        let beats = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").compactMap { Int64($0) }
        gaps = zip([0] + beats, beats + [.max]).filter { $1 - $0 > Self.usual }.map { $0..<$1 }
    }

    /// Begins to write the times of this process to a file.
    package static func start(_ path: String) throws {
        let descriptor = Foundation.open(path, O_WRONLY | O_APPEND | O_CREAT, 0o644)
        guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
        Thread.detachNewThread {
            while true {
                let beat = Array("\(Timestamp.now().microseconds)\n".utf8)
                _ = write(descriptor, beat, beat.count)
                Thread.sleep(forTimeInterval: 0.01)
            }
        }
    }

    /// How long the process stood still in a time in which there was one, in microseconds.
    package func stall(from start: Int64, to end: Int64) -> Int64 {
        var sum: Int64 = 0
        for gap in gaps {
            let part = min(gap.upperBound, end) - max(gap.lowerBound, start)
            if part > Self.usual { sum += part }
        }
        return sum
    }
}
