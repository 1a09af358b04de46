import JournalReplayKit
import JournalStore
import Synchronization
import TortureKit

/// An app that contains the tool with its own machines. `replay-app fixture FILE` writes the fixture that is kept for
/// each version of the schema.
@main
struct ReplayApp {
    static func main() async throws {
        let words = Array(CommandLine.arguments.dropFirst())
        if words.count == 2, words[0] == "fixture" { return try await writeFixture(words[1]) }
        let tool = ReplayTool(program: "replay-app", machines: [ReplayMachine(account), ReplayMachine(shuffled)])
        await tool.main(words)
    }

    /// Writes a journal with everything that a journal can hold.
    private static func writeFixture(_ path: String) async throws {
        let seconds = Atomic<Int64>(1_735_689_600)
        var options = Journal.Options()
        options.clock = { Timestamp(microseconds: seconds.add(1, ordering: .relaxed).newValue * 1_000_000) }
        options.snapshots = SnapshotPolicy(everySteps: 5, onClose: true)
        let folder = try TemporaryFolder()
        let journal = try Journal(path: folder.path("original.db"), options: options)
        let store = try await journal.open(account, stream: "a")
        for action: Posting in [.add(10), .label("x"), .close, .open(limit: 5), .both(1, 2), .draw, .add(-20)] {
            try await store.dispatch(action, id: "\(action)")
        }
        try await store.dispatch(.ask).completion()
        try await store.close()
        // A detached copy does not store the path where it was written.
        try await journal.backup(to: path, detached: true)
        try await journal.close()
    }
}
