import Testing

@testable import JournalReplayKit
@testable import JournalStore

/// The last of three streams has the ID 0: SQLite finds its row after every other, and again and again.
@Suite struct `Streams that are not in order` {
    private let fixture: Fixture
    private let path: String

    init() async throws {
        fixture = try Fixture()
        path = try await fixture.counter(entries: 2)
        let journal = try Journal(path: path)
        for name in ["second", "third"] { try await journal.openStream(name, machine: "counter").append("{}") }
        try await journal.close()
        try fixture.changeRowid(3, to: 0, of: "stream", in: path)
    }

    @Test func `are a problem for verify, which still checks the others`() async throws {
        let report = try JournalReader(path: path).verify()
        #expect(!report.isSound)
        #expect(report.streams == 2)
        #expect(try await Tool.run("verify", path).status == 65)
    }

    @Test func `are found on every page of the streams that a host looks through`() throws {
        let reader = try JournalReader(path: path)
        for last in [0, 1, 2] as [Int64] {
            let page = try reader.read("reading the streams") { database throws(DatabaseError) in
                try database.soundStreams(after: StreamID(rawValue: last), limit: 3)
            }
            #expect(page.disorder != nil, "after the stream \(last)")
            #expect(page.damage.isEmpty)
            #expect(page.streams.map(\.id.rawValue) == Array((last + 1)..<3))
            #expect(page.last?.rawValue == (last < 2 ? 2 : nil))
        }
    }

    @Test func `are an error for a list of all streams`() async throws {
        let error = #expect(throws: JournalError.self) { try JournalReader(path: path).streams() }
        #expect(error?.code == .corrupt)
        #expect(try await Tool.run("streams", path).status == 65)
    }

    @Test func `do not keep the recovery of a host from its end`() async throws {
        var options = Journal.Options()
        options.report = { _ in }
        options.lostEntries = .accept
        let journal = try Journal(path: path, options: options)
        let host = try journal.host(Machine<Int, Int, Void>("other", initialState: 0) { $0 += $1 })
        let recovery = await host.recovery()
        #expect(recovery.failed == 1)
        await host.close()
        try? await journal.close()
    }
}
