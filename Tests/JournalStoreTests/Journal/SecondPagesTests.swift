import Testing
import TortureKit

@testable import JournalStore

/// Streams and effects are read in pages of a thousand.
@Suite struct `What is behind the first page` {
    let folder: TemporaryFolder
    let path: String
    private static let count = 1_001

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("a.db")
    }

    /// The last one of many streams has many running effects.
    private func make() async throws {
        let journal = try openJournal(path) { $0.durability = .normal }
        for number in 1..<Self.count { try await journal.openStream("\(number)", machine: "m").close() }
        let stream = try await journal.openStream("last", machine: "m")
        try await stream.append("1")
        var batch = Batch()
        batch.runs = (0..<Self.count).map { ordinal in
            EffectRun(
                stream: stream.id, step: 1, ordinal: ordinal, rootStep: 1, name: "charge", status: .running, attempts: 1
            )
        }
        batch.settled = [stream.id: 1]
        _ = try await journal.commit(batch)
        try await journal.close()
    }

    @Test func `is read as well, and verified`() async throws {
        try await make()
        let reader = try JournalReader(path: path)
        #expect(try reader.streams().map(\.name).last == "last")
        #expect(try reader.streams(damaged: { _ in }).count == Self.count)
        #expect(try reader.effectRuns(in: "last").map(\.ordinal) == Array(0..<Self.count))
        #expect(try reader.liveRuns(in: "last").map(\.ordinal) == Array(0..<Self.count))
        #expect(try reader.verify().streams == Self.count)
        try Shell(path)("UPDATE entry SET action = '2'")
        #expect(try JournalReader(path: path).verify().problems.map(\.stream) == ["last"])
    }

    /// They go on in the original.
    @Test func `does not run in a copy either`() async throws {
        try await make()
        let reader = try JournalReader(path: path)
        try await reader.backup(to: folder.path("detached.db"), detached: true)
        try await reader.fork("last", at: 1, to: folder.path("fork.db"))
        for copy in ["detached.db", "fork.db"] {
            let statuses = try Shell(folder.path(copy), readOnly: true)("SELECT DISTINCT status FROM effect_run")
            #expect(statuses == ["asked"], "\(copy)")
        }
        let seeds = try Shell(folder.path("detached.db"), readOnly: true)("SELECT count(*) FROM seed")
        #expect(seeds == ["\(Self.count)"])
    }
}
