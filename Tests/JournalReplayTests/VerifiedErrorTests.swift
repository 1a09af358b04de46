import JournalStore
import Testing

@testable import JournalReplayKit

@Suite struct `An error in the output of verify` {
    @Test func `keeps the advice about the WAL of another file`() {
        let advice = "If a backup was put here, /a/b.db-wal can be that of the file before it: move that away."
        var error = JournalError(
            .corrupt, "The file is damaged.", advice: "Run `journal-replay verify`. " + advice, file: "/a/b.db")
        #expect(
            error.verified(canBeRead: false).advice == advice + " If that does not help, restore a backup.")
        error.advice = "Run `journal-replay verify`."
        #expect(error.verified(canBeRead: false).advice == "Restore a backup, unless `log --json` still reads it.")
    }
}
