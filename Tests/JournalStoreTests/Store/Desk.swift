import JournalTesting
import TortureKit

@testable import JournalStore

/// A file, a clock, and plain SQLite to look at the file with.
struct Desk {
    let folder: TemporaryFolder
    let clock = ManualClock()

    init() throws { folder = try TemporaryFolder() }
}

/// A suite that works at one.
protocol AtDesk {
    var desk: Desk { get }
}

extension AtDesk {
    var folder: TemporaryFolder { desk.folder }
    var path: String { desk.folder.path("a.db") }
    var clock: ManualClock { desk.clock }

    func sql(_ query: String, _ path: String? = nil) throws -> [String] {
        try Shell(path ?? self.path, readOnly: true)(query)
    }
}
