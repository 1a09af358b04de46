import JournalTesting
import TortureKit

@testable import JournalStore

/// A journal whose process is killed repeatedly: each opening finds what the last one left on the disk.
final class Deaths: Sendable {
    let folder: TemporaryFolder
    private let generation = Box(0)
    let clock = ManualClock()
    let notices = Box<[Notice]>([])

    init() throws { folder = try TemporaryFolder() }

    var path: String { folder.path("\(generation.value).db") }

    func open() throws -> Journal {
        try openJournal(path) { [clock, notices] options in
            options.wallClock = clock.wallClock
            options.durability = .normal
            // No opening lasts long enough to be stable, however slow the machine is.
            options.sleep = { duration in
                if duration < .seconds(1) { try await Task.sleep(for: duration) } else { try await forever() }
            }
            options.report = { notice in
                // Each death puts a copy at another path, without its -lock.
                if notice.kind != .nothingRemembered { notices.change { $0.append(notice) } }
            }
        }
    }

    /// Ends the process: the next one finds what is on the disk now.
    func kill() throws {
        let next = folder.path("\(generation.value + 1).db")
        try Shell(path)("VACUUM INTO '\(next)'")
        generation.change { $0 += 1 }
    }

    func callAsFunction(_ sql: String) throws -> [String] { try Shell(path, readOnly: true)(sql) }
}
