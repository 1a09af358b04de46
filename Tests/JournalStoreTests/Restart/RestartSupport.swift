import JournalTesting
import TortureKit

@testable import JournalStore

/// A journal that is killed again and again: each opening is of what the last one left on the disk.
final class Deaths: Sendable {
    let folder: TemporaryFolder
    private let generation = Box(0)
    let clock = ManualClock()
    let notices = Box<[Notice]>([])

    init() throws { folder = try TemporaryFolder() }

    var path: String { folder.path("\(generation.value).db") }

    func open() throws -> Journal {
        try openJournal(path) { [clock, notices] options in
            options.clock = clock.wallClock
            options.durability = .normal
            options.report = { notice in notices.change { $0.append(notice) } }
        }
    }

    /// The process ends here: what is on the disk now is what the next one finds.
    func kill() throws {
        let next = folder.path("\(generation.value + 1).db")
        try Shell(path)("VACUUM INTO '\(next)'")
        generation.change { $0 += 1 }
    }

    func callAsFunction(_ sql: String) throws -> [String] { try Shell(path, readOnly: true)(sql) }
}
