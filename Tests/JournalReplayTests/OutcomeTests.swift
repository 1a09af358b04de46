import JournalStore
import Testing
import TortureKit

@testable import JournalReplayKit

extension Fixture {
    /// A closed journal in which a step of `a` was reduced, one rejected, one skipped, and the last is unsettled; `b`
    /// has one rejected step.
    func outcomes() async throws -> String {
        let journal = try open("outcomes.db")
        let first = try await journal.openStream("a", machine: "cart")
        let second = try await journal.openStream("b", machine: "cart")
        try await first.append(contentsOf: ["add", "pay", "crash", "ship"].map { #"{"\#($0)":{}}"# })
        try await second.append(#"{"pay":{}}"#)
        var batch = Batch()
        batch.steps = [
            StepRecord(stream: first.id, step: 2, outcome: .rejected, reason: "cart is \u{1B}[2Jempty"),
            StepRecord(stream: second.id, step: 1, outcome: .rejected),
        ]
        batch.settled = [first.id: 2, second.id: 1]
        _ = try await journal.commit(batch)
        try await first.close()
        try await journal.skip(3, in: "a", reason: "crashes 2.1")
        try await journal.close()
        return path("outcomes.db")
    }
}

@Suite struct `The outcome of a step` {
    @Test func `is listed by log, with its reason`() async throws {
        let fixture = try Fixture()
        let result = try await Tool.run("log", try await fixture.outcomes())
        let lines = result.lines.map { $0.replacing(#/ {2,}/#, with: "  ").replacing(#/\d{4}-\S+Z/#, with: "TIME") }
        #expect(
            lines == [
                "STEP  TIME  STREAM  ORIGIN  OUTCOME  ACTION",
                #"  1  TIME  a  dispatched  {"add":{}}"#,
                #"  2  TIME  a  dispatched  rejected: cart is \u001b[2Jempty  {"pay":{}}"#,
                #"  3  TIME  a  dispatched  skipped: crashes 2.1  {"crash":{}}"#,
                #"  4  TIME  a  dispatched  unsettled  {"ship":{}}"#,
                #"  1  TIME  b  dispatched  rejected  {"pay":{}}"#,
            ])
    }

    @Test func `is that of its stream, also if another stream has the same name in other code points`() async throws {
        let fixture = try Fixture()
        let journal = try fixture.open("names.db")
        let first = try await journal.openStream("\u{E9}", machine: "cart")
        let second = try await journal.openStream("e\u{301}", machine: "cart")
        for _ in 1...2 {
            try await first.append(#"{"add":{}}"#)
            try await second.append(#"{"pay":{}}"#)
        }
        var batch = Batch()
        batch.steps = [StepRecord(stream: second.id, step: 1, outcome: .rejected)]
        batch.settled = [first.id: 2, second.id: 2]
        _ = try await journal.commit(batch)
        try await journal.close()
        let all = try await Tool.run("log", fixture.path("names.db"))
        #expect(all.status == 0, "\(all)")
        #expect(all.lines.count == 5)
        let rejected = try await Tool.run("log", fixture.path("names.db"), "--json", "--outcome", "rejected")
        #expect(try objects(rejected.output).compactMap { $0["position"] as? Int } == [2])
    }

    @Test(arguments: [
        (["--outcome", "rejected"], [2, 5]), (["--outcome", "skipped"], [3]), (["--outcome", "reduced"], [1]),
        (["--outcome", "unsettled"], [4]), (["--outcome", "rejected", "--outcome", "skipped"], [2, 3, 5]),
        (["--outcome", "rejected", "-n", "1"], [5]), (["a", "--outcome", "rejected", "-n", "1"], [2]),
        (["--outcome", "rejected", "--name", "add"], []), (["b", "--outcome", "skipped"], []),
        (["a", "--from", "3", "--outcome", "rejected"], []),
    ])
    func `selects the entries that log lists`(options: [String], positions: [Int]) async throws {
        let fixture = try Fixture()
        let path = try await fixture.outcomes()
        let result = try await Tool.run(program: Tool.path, ["log", path, "--json"] + options)
        #expect(try objects(result.output).compactMap { $0["position"] as? Int } == positions)
    }

    @Test func `has stable keys in JSON`() async throws {
        let fixture = try Fixture()
        let entries = try objects(try await Tool.run("log", "--json", try await fixture.outcomes()).output)
        #expect(entries.map { $0["outcome"] as? String } == ["reduced", "rejected", "skipped", nil, "rejected"])
        #expect(entries.map { $0["reason"] as? String } == [nil, "cart is \u{1B}[2Jempty", "crashes 2.1", nil, nil])
    }

    @Test func `is shown by show, with what an operator did`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.outcomes()
        let rejected = try await Tool.run("show", path, "a", "2")
        #expect(rejected.output.contains(#"Outcome   rejected: cart is \u001b[2Jempty"# + "\n"))
        let skipped = try await Tool.run("show", path, "a", "3")
        #expect(skipped.output.contains("Outcome   skipped: crashes 2.1\n"))
        #expect(skipped.output.contains(#/Interventions\n  \S+Z skip: crashes 2.1\n/#))
        #expect(try await Tool.run("show", path, "a", "4").output.contains("Outcome   unsettled\n"))
    }

    @Test func `is waited for if log follows and selects by it`() async throws {
        let fixture = try Fixture()
        let journal = try Journal(path: fixture.path("shop.db"))
        let stream = try await journal.openStream("cart", machine: "cart")
        try await stream.append("0")
        let tool = try Tool.start("log", "-f", "--json", "--outcome", "rejected", fixture.path("shop.db"))
        let other = try Tool.start("log", "-f", "--json", fixture.path("shop.db"))
        #expect(other.line()?.contains(#""step":1,"#) == true)
        // Both look for new entries in the same interval: when the other one has found two, one after the other, this
        // one has found the first, and waits for its outcome.
        for step in [2, 3] {
            try await stream.append("\(step)")
            #expect(other.line()?.contains("\"step\":\(step),") == true)
        }
        // The outcomes are committed with step 4, so that it is shown in any case.
        var batch = Batch(entries: [NewEntry(stream: stream.id, action: "4")])
        batch.steps = [2, 4].map { StepRecord(stream: stream.id, step: $0, outcome: .rejected) }
        batch.settled = [stream.id: 4]
        _ = try await journal.commit(batch)
        let first = tool.line()
        // If step 2 was left out, no second line follows.
        try #require(first?.contains(#""step":2,"#) == true)
        #expect(tool.line()?.contains(#""step":4,"#) == true)
        _ = other.interrupt()
        _ = tool.interrupt()
        try await journal.close()
    }
}
