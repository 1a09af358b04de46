import Foundation
import JournalStore
import Testing
import TortureKit

@testable import JournalReplayKit

@Suite struct `find` {
    /// A journal with two streams that both used the dispatch ID `order 7`; the effect of `a` kept the key that it was
    /// given.
    private func journal(_ fixture: Fixture) async throws -> (path: String, key: String) {
        let given = Lock<String>("")
        let machine = Machine<String, String, Void>("keys", initialState: "") { action, state, _ in
            state = action
            guard action == "pay" else { return .none }
            return .run("charge") { context in
                given.withLock { $0 = context.idempotencyKey }
                return "paid"
            }
        }
        let journal = try fixture.open("keys.db")
        for name in ["a", "b"] {
            let store = try await journal.open(machine, stream: name)
            try await store.dispatch("look")
            try await store.dispatch(name == "a" ? "pay" : "leave", id: "order 7").completion()
        }
        try await journal.close()
        return (fixture.path("keys.db"), given.withLock(\.self))
    }

    @Test func `finds a dispatch ID in every stream, and the effects that it led to`() async throws {
        let fixture = try Fixture()
        let path = try await journal(fixture).path
        let result = try await Tool.run("find", path, "order 7", "--json")
        #expect(result.status == 0)
        #expect(try keys(ofFirstLine: result.output) == Command.find.keys.map(\.name))
        let found = try objects(result.output)
        #expect(found.map { $0["stream"] as? String } == ["a", "a", "b"])
        #expect(found.map { $0["step"] as? Int } == [2, 2, 2])
        #expect(found.map { $0["ordinal"] as? Int } == [nil, 0, nil])
        #expect(found.map { $0["name"] as? String } == ["pay", "charge", "leave"])
        #expect(found.map { $0["status"] as? String } == ["reduced", "completed", "reduced"])
        #expect(found.allSatisfy { $0["kind"] as? String == "dispatch ID" })
    }

    @Test func `finds the step that received a message`() async throws {
        let fixture = try Fixture()
        let till = Machine<String, String, Void>("till", initialState: "") { action, state, _ in
            state = action
            return .none
        }
        let cart = Machine<String, String, Void>("cart", initialState: "") { action, state, _ in
            state = action
            return .none
        }.connected(to: till, stream: "till") { step in step.action == "pay" ? "book" : nil }
        let journal = try fixture.open("keys.db")
        let receiver = try await journal.open(till, stream: "till")
        let sender = try await journal.open(cart, stream: "a")
        try await sender.dispatch("look")
        try await sender.dispatch("pay", id: "order 7")
        for try await _ in receiver.transitions(from: 1) { break }
        // Another step of the receiver, with one between.
        try await receiver.dispatch("wait")
        try await receiver.dispatch("count", id: "order 7")
        try await journal.close()
        let path = fixture.path("keys.db")
        let result = try await Tool.run("find", path, "order 7")
        #expect(result.status == 0)
        #expect(
            Set(result.lines.dropFirst().map { $0.replacing(#/ {2,}/#, with: "  ") }) == [
                "dispatch ID  a  2  pay  reduced", "dispatch ID  a  2  2.0  till  completed",
                "message  till  1  book  reduced", "dispatch ID  till  3  count  reduced",
            ], "\(result)")
        let list = try await Tool.run("effects", path, "--all", "--json")
        let key = try #require(try objects(list.output).first?["idempotencyKey"] as? String)
        let found = try objects(try await Tool.run("find", path, key, "--json").output)
        #expect(found.map { $0["kind"] as? String } == ["idempotency key", "message"])
        #expect(found.map { $0["stream"] as? String } == ["a", "till"])
        #expect(found.map { $0["step"] as? Int } == [2, 1])
    }

    @Test func `finds the effect that has passed an idempotency key to a service`() async throws {
        let fixture = try Fixture()
        let (path, key) = try await journal(fixture)
        for text in [key, key.uppercased()] {
            let result = try await Tool.run("find", path, text)
            #expect(
                result.lines.map { $0.replacing(#/ {2,}/#, with: "  ") } == [
                    "KIND  STREAM  STEP  EFFECT  NAME  STATUS", "idempotency key  a  2  2.0  charge  completed",
                ])
        }
    }

    /// The digest of its entry is a part of its key.
    @Test func `refuses to derive a key from an entry that is damaged`() async throws {
        let fixture = try Fixture()
        let (path, key) = try await journal(fixture)
        try fixture.execute("UPDATE entry SET digest = zeroblob(16) WHERE step = 2 AND stream = 1", in: path)
        for words in [["find", path, key], ["effects", path, "--all"], ["effects", "show", path, "a", "2.0"]] {
            let result = try await Tool.run(program: Tool.path, words)
            #expect(result.status == 65, "\(result)")
            #expect(result.error.contains("step 2 does not have its digest"), "\(result)")
        }
    }

    @Test(arguments: [
        ("UPDATE entry SET action = '\"zzz\"' WHERE step = 2 AND stream = 1", "stream 'a', step 2: "),
        ("DELETE FROM entry WHERE step = 2 AND stream = 1", "step 2: The entry is missing"),
    ])
    func `tells that the entry of a dispatch ID is damaged or missing`(sql: String, reason: String) async throws {
        let fixture = try Fixture()
        let path = try await journal(fixture).path
        try fixture.execute(sql, in: path)
        let result = try await Tool.run("find", path, "order 7")
        #expect(result.status == 65)
        #expect(result.error.contains(reason), "\(result)")
        // The other stream has it too.
        #expect(result.output.contains("  b  "), "\(result)")
    }

    @Test func `reports that nothing has a key`() async throws {
        let fixture = try Fixture()
        let path = try await journal(fixture).path
        for key in ["order 8", String(repeating: "0", count: 32)] {
            let result = try await Tool.run("find", path, key)
            #expect(result.status == 1)
            #expect(result.output == "")
            #expect(result.error == "No dispatch ID and no idempotency key is '\(key)'.\n")
        }
    }

    @Test func `tells the outcome of a step apart from the reason`() async throws {
        let fixture = try Fixture()
        let journal = try fixture.open("keys.db")
        let machine = Machine<String, String, Void>("keys", initialState: "") { _, _, _ in .reject("closed") }
        let store = try await journal.open(machine, stream: "a")
        try await store.dispatch("pay", id: "order 7")
        try await store.close()
        try await journal.close()
        let path = fixture.path("keys.db")
        let result = try await Tool.run("find", path, "order 7")
        #expect(
            result.lines.map { $0.replacing(#/ {2,}/#, with: "  ") }.last == "dispatch ID  a  1  pay  rejected: closed",
            "\(result)")
        let json = try #require(try objects(try await Tool.run("find", path, "order 7", "--json").output).first)
        #expect(json["status"] as? String == "rejected" && json["reason"] as? String == "closed")
    }

    @Test func `tells that the entry of a dispatch ID was pruned`() async throws {
        let fixture = try Fixture()
        let journal = try fixture.open("keys.db", SnapshotPolicy(onClose: true))
        let machine = Machine<String, String, Void>("keys", initialState: "") { action, state, _ in
            state = action
            return .none
        }
        let store = try await journal.open(machine, stream: "a")
        for id in ["order 7", "order 8"] { try await store.dispatch("look", id: id) }
        try await store.close()
        let again = try await journal.open(machine, stream: "a")
        try await again.dispatch("leave")
        try await again.close()
        try await journal.close()
        let path = fixture.path("keys.db")
        #expect(try await Tool.run("prune", path, "a", "--before=3", "--yes").status == 0)
        let result = try await Tool.run("find", path, "order 7")
        #expect(
            result.lines.map { $0.replacing(#/ {2,}/#, with: "  ") }.last == "dispatch ID  a  1  pruned", "\(result)")
        let json = try #require(try objects(try await Tool.run("find", path, "order 7", "--json").output).first)
        #expect(json["name"] is NSNull && json["status"] is NSNull)
    }

    @Test func `is not needed to see the keys of a step and an effect`() async throws {
        let fixture = try Fixture()
        let (path, key) = try await journal(fixture)
        let step = try await Tool.run("show", path, "a", "2")
        #expect(step.output.contains("Dispatch ID  order 7\n"))
        #expect(step.output.contains("  2.0 'charge' completed, 1 attempt\n      idempotency key \(key)\n"))
        let object = try #require(try objects(try await Tool.run("show", path, "a", "2", "--json").output).first)
        #expect(object["dispatchID"] as? String == "order 7")
        #expect((object["runs"] as? [[String: Any]])?.first?["idempotencyKey"] as? String == key)
        let effect = try await Tool.run("effects", "show", path, "a", "2.0")
        #expect(effect.output.contains(#/Idempotency key +/#) && effect.output.contains(key))
        #expect(effect.output.contains(#/Dispatch ID +order 7\n/#))
        let list = try await Tool.run("effects", path, "--all", "--json")
        #expect(try objects(list.output).map { $0["idempotencyKey"] as? String } == [key])
        #expect(try objects(list.output).map { $0["dispatchID"] as? String } == ["order 7"])
        let lines = try await Tool.run("effects", path, "--all").lines
        #expect(lines.last?.contains(#/ order 7 +[0-9a-f]{32}  /#) == true && lines.last?.contains(key) == true)
    }

    @Test func `derives the keys of an initial effect and of a fork's effects as the app does`() async throws {
        let fixture = try Fixture()
        let given = Lock<[String]>([])
        var machine = Machine<String, String, Void>("keys", initialState: "") { action, _, _ in
            .run(action) { context in
                given.withLock { $0.append(context.idempotencyKey) }
                return nil
            }
        }
        machine.initialEffect = .run("listen") { context in
            given.withLock { $0.append(context.idempotencyKey) }
            return nil
        }
        func keys(_ name: String) async throws -> [String] {
            let list = try await Tool.run("effects", fixture.path(name), "--all", "--json")
            return try objects(list.output).compactMap { $0["idempotencyKey"] as? String }
        }
        let journal = try fixture.open("keys.db")
        let store = try await journal.open(machine, stream: "a")
        try await store.dispatch("pay")
        await store.join()
        try await journal.close()
        let original = try await keys("keys.db")
        #expect(original.count == 2)
        let keysInApp = given.withLock(\.self)
        #expect(Set(original) == Set(keysInApp))

        try await JournalReader(path: fixture.path("keys.db")).fork("a", at: 1, to: fixture.path("fork.db"))
        let fork = try Journal(path: fixture.path("fork.db"))
        let again = try await fork.open(machine, stream: "a")
        try await again.dispatch("ship")
        await again.join()
        try await fork.close()
        let keysAfterFork = given.withLock(\.self)
        let newest = try #require(keysAfterFork.last)
        #expect(try await keys("fork.db") == original + [newest])
        #expect(!original.contains(newest))
    }
}
