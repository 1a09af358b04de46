import CJournalReplay
import Foundation
import JournalStore
import Testing
import TortureKit

@testable import JournalReplayKit

@Suite struct `A library of machines` {
    /// The table that a library would return, without the library.
    private static let library: PluginLibrary? = {
        let table = ReplayPlugin.table([ReplayMachine(account)]).assumingMemoryBound(to: journal_replay_plugin.self)
        return try? PluginLibrary(path: "lib.so", table: table.pointee)
    }()

    private static func machines() throws -> [ReplayMachine] {
        try library?.machines() ?? []
    }

    private func session(_ path: String, _ stream: String = "a", without: [Int] = []) throws -> any ReplaySession {
        let machine = try #require(Self.machines().first)
        #expect((machine.name, machine.version) == ("account", 1))
        return try machine.open(
            ReplayRequest(reader: JournalReader(path: path), stream: stream, without: without))
    }

    @Test func `answers as the machine itself does`() async throws {
        let accounts = try await Fixture().accountsKept(snapshots: SnapshotPolicy(everySteps: 3))
        let reader = try JournalReader(path: accounts.path)
        let own = try ReplayMachine(account).open(ReplayRequest(reader: reader, stream: "a"))
        let other = try session(accounts.path)
        for step in [8, 0, 5, 3] { #expect(try other.state(at: step) == own.state(at: step)) }
        for step in 1...8 { #expect(try other.step(step) == own.step(step)) }
        #expect(try other.changes(from: 2, to: 7) == own.changes(from: 2, to: 7))
        #expect(try other.changes(fromState: own.state(at: 4), to: 5) == own.changes(from: 4, to: 5))
        #expect(try other.changes(fromState: own.state(at: 5), to: 5).isEmpty)
        for step in [5, 2] {
            #expect(try other.changes(fromState: own.state(at: 4), toVerified: step) == own.changes(from: 4, to: step))
        }
        #expect(other.version == 1)
        var states: [[Int]] = [[], []]
        for (index, session) in [own, other].enumerated() {
            try session.states(0...8) { step, _ in
                states[index].append(step)
                return step < 6
            }
            var visited = 0
            let report = try session.verify(every: 2) { _, _ in visited += 1 }
            #expect(report.isFaithful && report.lastStep == 8 && visited == 5)
        }
        #expect(states[0] == Array(0...6) && states[1] == states[0])
        let without = try session(accounts.path, without: [1])
        #expect(JSON(try without.state(at: 8))?["balance"] == .number("-17"))
    }

    @Test(arguments: [0, -1, Int.min])
    func `verifies without passing a state if the number of steps between states is not positive`(every: Int)
        async throws
    {
        let accounts = try await Fixture().accountsKept()
        let report = try session(accounts.path).verify(every: every) { step, _ in Issue.record("step \(step)") }
        #expect(report.isFaithful && report.lastStep == 8)
    }

    @Test func `reports the errors of the journal unchanged`() async throws {
        let accounts = try await Fixture().accountsKept()
        let session = try session(accounts.path)
        let error = #expect(throws: JournalError.self) { try session.state(at: 99) }
        #expect(error?.code == .noSuchStep)
        #expect(error?.step == 99)
        #expect(error?.message == "The stream ends at step 8.")
        #expect(throws: JournalError.self) { try self.session(accounts.path, "none") }
        struct Enough: Error {}
        #expect(throws: Enough.self) { try session.states(0...8) { _, _ in throw Enough() } }
    }

    @Test func `reports the progress of a long replay`() async throws {
        let fixture = try Fixture()
        let journal = try fixture.open("long.db", .never)
        try await journal.openStream("a", machine: "account")
            .append(contentsOf: (1...3_000).map { _ in #"{"add":{"_0":1}}"# })
        try await journal.close()
        let told = Lock<[Int]>([])
        let machine = try #require(Self.machines().first)
        let session = try machine.open(
            ReplayRequest(reader: JournalReader(path: fixture.path("long.db")), stream: "a") { step, last in
                told.withLock { $0.append(step) }
                #expect(last == 3_000)
            })
        #expect(JSON(try session.state(at: 3_000))?["balance"] == .number("3000"))
        #expect(told.withLock { $0 } == [1_023, 2_047])
    }

    @Test func `is rejected if its interface has another version`() {
        var table = journal_replay_plugin()
        table.abi = 2
        table.call = { _, _, _, _ in }
        let error = #expect(throws: JournalError.self) { try PluginLibrary(path: "lib.so", table: table) }
        #expect(error?.message == "The library has version 2 of the interface, this tool has version 1.")
    }

    @Test func `must exist, be a library, and have the function`() async throws {
        let accounts = try await Fixture().accountsKept()
        func state(_ library: String) async throws -> Tool.Result {
            try await Tool.run("state", accounts.path, "--stream=a", "--machine", library)
        }
        let missing = try await state("none/lib.so")
        #expect(missing.status == 66)
        #expect(missing.error.hasPrefix("Error: none/lib.so: There is no such library."))
        let pipe = accounts.fixture.path("pipe.so")
        try #require(mkfifo(pipe, 0o600) == 0)
        #expect(try await state(pipe).error.hasPrefix("Error: \(pipe): The library is not a file."))
        let text = accounts.fixture.path("text.so")
        try "no library".write(toFile: text, atomically: true, encoding: .utf8)
        let wrong = try await state(text)
        #expect(wrong.status == 66)
        #expect(wrong.error.hasPrefix("Error: \(text): The library cannot be loaded ("))
        let plain = accounts.fixture.path("libplain.so")
        let compiler = try await Tool.shell(
            "echo 'int nothing;' | clang -shared -fPIC -x c - -o \"$1\"", plain)
        try #require(compiler.status == 0, "\(compiler.error)")
        let other = try await state(plain)
        #expect(other.status == 64)
        #expect(other.error.contains("The library has no function journal_replay_machines."))
    }

    @Test func `on the command line comes before a machine of the app with the same name`() async throws {
        let accounts = try await Fixture().accountsKept()
        let own = ReplayMachine(name: "account", version: 7) { _ in throw JournalError(.noMachine, "The own one.") }
        let known = Machines(own: [own, ReplayMachine(shuffled)], loaded: try Self.machines())
        let reader = try JournalReader(path: accounts.path)
        #expect(known.version(of: try reader.stream("a")) == 1)
        #expect(JSON(try known.session(on: "a", reader).state(at: 8))?["balance"] == .number("-7"))
        #expect(known.names == ["account", "shuffled"])
    }

    @Test func `is rejected for a stream of another machine, with the machines that it has`() async throws {
        let fixture = try Fixture()
        let words = try await fixture.words(1)
        let known = try Machines(own: Self.machines(), libraries: [])
        let error = #expect(throws: JournalError.self) {
            try known.session(on: "words", JournalReader(path: words))
        }
        #expect(error?.code == .noMachine)
        #expect(error?.message == "This needs the machine 'shuffled' to reduce the steps; known machines: 'account'.")
    }
}
