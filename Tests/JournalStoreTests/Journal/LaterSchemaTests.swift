import Foundation
import Testing
import TortureKit

@testable import JournalStore

/// What this version does with a journal that a later one has migrated. Here the later schema has one more column.
@Suite struct `A journal with a later schema` {
    let folder: TemporaryFolder
    let path: String
    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("a.db")
    }

    private static let later = Migration(
        number: Migration.all.count + 1, name: "later", sql: "ALTER TABLE effect_run ADD COLUMN later TEXT")

    private func make() async throws {
        let journal = try Journal(path: path)
        try await journal.openStream("a", machine: "m").append("1")
        try await journal.close()
    }

    private func migrate(checkpoint: Bool) throws {
        let connection = try Connection(path: path, access: .write)
        try Migrator().apply([Self.later], to: connection, at: Timestamp(microseconds: 17))
        if checkpoint { try connection.checkpoint(.truncate) }
    }

    @Test(arguments: [false, true])
    func `is refused and not changed, also if only the WAL has the migration`(
        _ isInFile: Bool
    ) async throws {
        try await make()
        try migrate(checkpoint: isInFile)
        let before = try bytes(path)
        let errors = [
            await journalError { try Journal(path: path) }, await journalError { try JournalReader(path: path) },
        ]
        for error in errors {
            #expect(error?.code == .newerSchema)
            #expect(error?.message.contains("its schema has version \(Self.later.number)") == true)
        }
        #expect(try bytes(path) == before)
    }

    @Test func `is noticed by a reader that was open before`() async throws {
        try await make()
        let reader = try JournalReader(path: path)
        #expect(try reader.entries(in: "a").count == 1)
        try migrate(checkpoint: false)
        #expect(await journalError { try reader.entries(in: "a") }?.code == .newerSchema)
    }
}
