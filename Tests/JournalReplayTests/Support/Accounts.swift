import JournalStore
import TortureKit

extension Fixture {
    /// A journal with two accounts, closed.
    ///
    /// | step of `a` | action | balance |
    /// |---|---|---|
    /// | 1, 2, 3 | add 10, label x, open | 10 |
    /// | 4 | both 1, 2 | 13 |
    /// | 5 | add -20 | -7 |
    /// | 6, 7 | ask, its answer | -7 |
    /// | 8 | close | -7 |
    ///
    /// `b` has one step: it cannot be closed before it is opened.
    func accounts(snapshots: SnapshotPolicy = .never) async throws -> String {
        let journal = try open("accounts.db", snapshots)
        let first = try await journal.open(account, stream: "a")
        for action: Posting in [.add(10), .label("x"), .open(limit: 5), .both(1, 2), .add(-20)] {
            try await first.dispatch(action)
        }
        try await first.dispatch(.ask).completion()
        try await first.dispatch(.close)
        let second = try await journal.open(account, stream: "b")
        try await second.dispatch(.close)
        try await journal.close()
        return path("accounts.db")
    }

    /// A journal with `count` steps of a machine that depends on the order of a set.
    func words(_ count: Int) async throws -> String {
        let journal = try open("words.db", .never)
        let store = try await journal.open(shuffled, stream: "words")
        for number in 1...count { try await store.dispatch("word \(number)") }
        try await journal.close()
        return path("words.db")
    }

    /// A journal with three streams of a machine that crashes at a negative number, which only `b` has, as step 2.
    func fragile() async throws -> String {
        let journal = try open("fragile.db", .never)
        for (name, numbers) in [("a", ["1", "2"]), ("b", ["1", "-1", "3"]), ("c", ["1"])] {
            try await journal.openStream(name, machine: "fragile").append(contentsOf: numbers)
        }
        try await journal.close()
        return path("fragile.db")
    }

    /// A journal of the account machine, with a stream `a` whose step 2 the machine does not know.
    func unknownAction() async throws -> String {
        let journal = try open("unknown.db", .never)
        try await journal.openStream("a", machine: "account").append(contentsOf: [
            #"{"add":{"_0":1}}"#, #"{"refund":{"_0":2}}"#, #"{"add":{"_0":3}}"#,
        ])
        try await journal.close()
        return path("unknown.db")
    }
}
