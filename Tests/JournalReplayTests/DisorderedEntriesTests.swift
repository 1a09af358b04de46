import Foundation
import JournalStore
import Testing

@testable import JournalReplayKit

/// The ninth of twelve entries has the position 13: SQLite finds those after it again and again.
@Suite struct `Entries that are not in order` {
    private let fixture: Fixture
    private let path: String

    init() async throws {
        fixture = try Fixture()
        path = try await fixture.counter(entries: 12)
        try fixture.changeRowid(9, to: 13, of: "entry", in: path)
    }

    @Test func `are listed once, and counted as damage`() throws {
        var (pages, unreadable) = (EntryPages(try JournalReader(path: path), stream: nil), Unreadable())
        var steps: [Int] = []
        while steps.count < 50, case let page = try pages.page(&unreadable), !page.isEmpty { steps += page.map(\.step) }
        #expect(steps.count == Set(steps).count, "\(steps)")
        #expect(Set(steps).isSuperset(of: [1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12]), "\(steps)")
        #expect(unreadable.entries > 0)
    }

    @Test func `end a log with status 65`() async throws {
        let result = try await Tool.run("log", path, "--json")
        #expect(result.status == 65)
        #expect((11...12).contains(result.lines.count))
    }

    @Test func `are an error for a reader that goes on from the last one`() throws {
        let reader = try JournalReader(path: path)
        let error = #expect(throws: JournalError.self) { try reader.entries(after: 8, limit: 100) }
        #expect(error?.code == .corrupt)
        #expect(error?.message.contains("the entries are not in the order of their positions") == true)
    }

    @Test func `are an error for a sequence of entries`() async throws {
        let error = await #expect(throws: JournalError.self) {
            var count = 0
            for try await _ in try JournalReader(path: path).follow() {
                count += 1
                if count == 50 { break }
            }
        }
        #expect(error?.code == .corrupt)
    }

    @Test func `are an error for a page, which leaves no file`() async throws {
        let page = fixture.path("page.html")
        let result = try await Tool.run("page", path, "--out", page)
        #expect(result.status == 65, "\(result)")
        #expect(result.error.contains("the entries are not in the order of their positions"))
        let files = try FileManager.default.contentsOfDirectory(atPath: fixture.folder)
        #expect(!files.contains { $0.hasPrefix("page.html") }, "\(files)")
    }

    @Test func `are an error for a live page`() throws {
        let live = try LiveJournal(JournalReader(path: path), PageOptions()) { _ in }
        #expect(throws: JournalError.self) { while try live.read() {} }
    }
}
