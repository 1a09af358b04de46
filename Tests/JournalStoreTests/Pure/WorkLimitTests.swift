import Foundation
import Testing
import TortureKit

@testable import JournalStore

@Suite struct `The limit of a statement` {
    @Test func `a file that only seems to be large does not extend the limit of a statement`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.db")
        try Data(repeating: 1, count: 1 << 16).write(to: URL(fileURLWithPath: path))
        let limit = WorkLimit(path: path)
        #expect(limit.hasRoom(forRows: 1 << 14))
        #expect(!limit.hasRoom(forRows: 1 << 27))
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.truncate(atOffset: 1 << 40)
        #expect(!limit.hasRoom(forRows: 1 << 27))
    }
}
