import Foundation
import JournalReplayKit
import JournalStore
import Synchronization
import TortureKit

/// An app that contains the tool with its own machines. `replay-app fixture FILE` and `replay-app rich FILE` write the
/// fixtures that are kept for each version of the schema, `replay-app journal KIND FILE` a journal for the tests of the
/// page, `replay-app orders FILE` the journal of docs/operating.md, `replay-app desk FILE OUTSIDE` is an app that
/// operators act on, `replay-app pace` and `replay-app steps` dispatch for the tests of the live page, and
/// `replay-app accounts FILE COUNT` writes a journal with many streams, to measure the tool with.
@main
struct ReplayApp {
    static func main() async throws {
        let words = Array(CommandLine.arguments.dropFirst())
        if words.count == 2, words[0] == "fixture" { return try await writeFixture(words[1]) }
        if words.count == 2, words[0] == "rich" { return try await writeRich(words[1]) }
        if words.count == 2, words[0] == "orders" { return try await writeOrders(words[1]) }
        if words.count >= 3, words[0] == "journal", let kind = PageJournals.Kind(rawValue: words[1]) {
            return try await PageJournals.write(
                kind, words[2], count: words.dropFirst(3).first.flatMap { Int($0) } ?? 40)
        }
        if words.count == 4, words[0] == "pace", let rate = Int(words[2]), let seconds = Int(words[3]) {
            return try await Paced.run(words[1], rate: rate, seconds: seconds)
        }
        if words.count == 2, words[0] == "steps" { return try await Paced.obey(words[1]) }
        if words.count == 3, words[0] == "accounts", let count = Int(words[2]) {
            return try await writeAccounts(words[1], count)
        }
        if words.count >= 3, words[0] == "desk" {
            return try await runDesk(words[1], outside: words[2], drains: words.dropFirst(3).first == "drain")
        }
        let machines = [
            ReplayMachine(account), ReplayMachine(shuffled), ReplayMachine(fragile), ReplayMachine(order),
            ReplayMachine(checkout), ReplayMachine(desk, environment: DeskEnvironment()), ReplayMachine(meter),
            ReplayMachine(gathered(2)), ReplayMachine(Rich.machine, environment: Rich.Arrivals()),
            ReplayMachine(endless),
            ReplayMachine(noisy),
        ]
        if let greeting = ProcessInfo.processInfo.environment["REPLAY_APP_GREETING"] {
            print(greeting, terminator: "")
            fflush(nil)
        }
        let tool = ReplayTool(program: "replay-app", machines: machines)
        await tool.main(words)
    }

    /// Writes a journal of one stream, without live effects.
    private static func writeFixture(_ path: String) async throws {
        let seconds = Atomic<Int64>(1_735_689_600)
        var options = Journal.Options()
        options.wallClock = { Timestamp(microseconds: seconds.add(1, ordering: .relaxed).newValue * 1_000_000) }
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

    /// Writes a journal with rows in every table and live effects.
    private static func writeRich(_ path: String) async throws {
        let folder = try TemporaryFolder()
        let original = folder.path("original.db")
        try await Rich.make(killed: folder.path("killed.db"), closed: original)
        let journal = try Journal(path: original)
        try await journal.backup(to: path, detached: true)
        try await journal.close()
    }

    /// Writes a journal with this many streams of four steps each.
    private static func writeAccounts(_ path: String, _ count: Int) async throws {
        var options = Journal.Options()
        options.durability = .normal
        let journal = try Journal(path: path, options: options)
        for number in 1...count {
            let store = try await journal.open(account, stream: "account-\(number)")
            for action: Posting in [.open(limit: 5), .add(number), .label("x"), .both(1, 2)] {
                try await store.dispatch(action)
            }
            try await store.close()
        }
        try await journal.close()
    }
}
