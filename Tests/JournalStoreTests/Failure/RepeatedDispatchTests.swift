import CFaultVFS
import CJournalSQLite
import Foundation
import Testing
import TortureKit

@testable import JournalStore

private enum Basket: Codable, Sendable, Equatable { case add(LooseSet) }

@Suite struct `A repeated dispatch whose first action cannot be read` {
    @Test func `gets the error of the read, and not that the ID was used for another action`() async throws {
        let folder = try TemporaryFolder()
        let vfs = FaultVFS()
        let journal = try openJournal(folder.path("a.db")) { $0.vfs = vfs.name }
        let machine = Machine<Basket, Int, Void>("basket", initialState: 0) { count, _ in count += 1 }
        let store = try await journal.open(machine, stream: "a")
        let letters = (0..<20).map { "\($0)" }
        try await store.dispatch(.add(LooseSet(Set(letters))), id: "order-7")
        let stored = try journal.reader.entries(in: "a")[0].action
        // Another order inside, and therefore another text.
        var same = Set(letters)
        while try JSONCodec().encode(Basket.add(LooseSet(same))) == stored {
            same = Set(minimumCapacity: .random(in: 1...500))
            for letter in letters.shuffled() { same.insert(letter) }
        }
        // To read the entry, the store has to connect again.
        journal.reader.release()
        vfs.fail(FAULT_OPEN, suffix: ".db", count: -1, code: SQLITE_CANTOPEN, system: EMFILE)
        let error = await journalError { try await store.dispatch(.add(LooseSet(same)), id: "order-7") }
        vfs.clear()
        #expect(error?.code == .tooManyFiles)
        #expect(try await store.dispatch(.add(LooseSet(same)), id: "order-7").outcome == .repeated)
        #expect(store.state == 1)
        try await journal.close()
    }
}
