import JournalStore
import Testing

@testable import JournalReplayKit

@Suite struct `verify by replay` {
    @Test func `says that a replay is faithful, in how many processes`() async throws {
        let accounts = try await Fixture().accountsKept(snapshots: SnapshotPolicy())
        let result = try await Tool.inApp("verify", accounts.path)
        #expect(
            result
                == Tool.Result(
                    status: 0,
                    output: """
                        Sound: 2 streams, 9 entries, 2 snapshots.
                        Faithful: 'a', 8 steps replayed in 9 processes, 1 snapshot and 3 records compared.
                        Faithful: 'b', 1 step replayed in 9 processes, 1 snapshot and 1 record compared.

                        """, error: ""))
    }

    @Test func `finds a reducer that goes by the order of a set, in another process`() async throws {
        let fixture = try Fixture()
        let words = try await fixture.words(8)
        let result = try await Tool.inApp("verify", words)
        #expect(result.status == 3)
        #expect(result.error == "")
        try #require(result.lines.count > 3, "\(result)")
        #expect(result.lines[0] == "Sound: 1 stream, 8 entries, 0 snapshots.")
        #expect(result.lines[1].hasPrefix("Not faithful: 'words', 8 steps replayed in "))
        #expect(result.lines[2].contains(": another process came to another state; expected → found."))
        #expect(result.lines.last?.hasPrefix("  The reducer depends on the order of a set or a dictionary") == true)
        // In each of many.
        for _ in 0..<5 { #expect(try await Tool.inApp("verify", words).status == 3) }
    }

    @Test func `names the step at which an effect is another one, and ends with 3`() async throws {
        let accounts = try await Fixture().accountsKept()
        try accounts.fixture.execute(
            #"UPDATE step_record SET effects = '[{"run":"other"}]' WHERE step = 6"#, in: accounts.path)
        let result = try await Tool.inApp("verify", accounts.path, "--stream=a")
        #expect(result.status == 3)
        #expect(
            result.lines.dropFirst(2).prefix(3) == [
                "  step 6 (ask): the step returned other effects; expected → found. Everything is the same up to step 0.",
                #"    effects[0]: {"run":"other"} → {"run":"ask","id":{"String":"question"}}"#,
                #"    + effects[1]: {"ephemeral":"told"}"#,
            ])
        let json = try await Tool.inApp("verify", "--json", accounts.path, "--stream=a")
        #expect(json.status == 3)
        let object = try #require(try objects(json.output).first)
        let replay = try #require((object["replays"] as? [[String: Any]])?.first)
        let divergence = try #require(replay["divergence"] as? [String: Any])
        #expect(divergence["kind"] as? String == "effects")
        #expect(divergence["step"] as? Int == 6)
        #expect(replay["processes"] as? Int == 1)
    }

    @Test func `says which streams it could not replay`() async throws {
        let fixture = try Fixture()
        let journal = try fixture.open("both.db")
        let store = try await journal.openStream("mine", machine: "account")
        try await store.append(#"{"add":{"_0":1}}"#)
        try await journal.openStream("other", machine: "till").append("1")
        try await journal.close()
        let result = try await Tool.inApp("verify", fixture.path("both.db"))
        #expect(result.status == 0)
        #expect(result.lines.last == "Not replayed: 'other', as the machine 'till' is not known.")
        let json = try await Tool.inApp("verify", "--json", fixture.path("both.db"))
        #expect(try keys(ofFirstLine: json.output) == Command.verify.keys.map(\.name))
        #expect(try #require(try objects(json.output).first)["notReplayed"] as? [String] == ["other"])
    }

    @Test func `writes states on the way, for whoever compares them`() async throws {
        let accounts = try await Fixture().accountsKept()
        let result = try await Tool.inApp(
            "verify", "--json", "--replay-only", "--states=3", accounts.path, "--stream=a")
        let lines = try objects(result.output)
        try #require(lines.count > 1)
        #expect(lines.compactMap { $0["step"] as? Int } == [0, 3, 6])
        #expect((lines[1]["state"] as? String)?.contains(#""balance":10"#) == true)
        #expect(lines.last?["sound"] is Bool == false)
    }

    @Test func `is damage first, where there is any`() async throws {
        let accounts = try await Fixture().accountsKept()
        try accounts.fixture.execute("UPDATE entry SET time = time + 1 WHERE position = 1", in: accounts.path)
        #expect(try await Tool.inApp("verify", accounts.path).status == 65)
    }
}

@Suite struct `Other processes` {
    @Test(arguments: [(0, 8, 1), (1, 8, 1), (2_500, 8, 25), (9_999, 2, 99), (20_000, 1, 200), (1_000_000, 1, 10_000)])
    func `are as many as it takes to be sure`(steps: Int, processes: Int, stride: Int) {
        #expect(OtherProcesses.count(steps: steps) == processes)
        #expect(OtherProcesses.stride(steps: steps) == stride)
    }

    @Test func `are called as this one was`() {
        #expect(
            OtherProcesses(arguments: ["verify", "x"], libraries: [], commandLine: ["shop", "journal", "verify", "x"])
                != nil)
        #expect(OtherProcesses(arguments: ["verify", "x"], libraries: [], commandLine: ["tests"]) == nil)
    }
}
