import Foundation
import JournalStore
import Testing

@testable import JournalReplayKit

@Suite struct `log` {
    @Test func `lists the entries of all streams in the order they were committed`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        let result = try await Tool.run("log", shop)
        #expect(result.status == 0)
        #expect(result.error == "")
        #expect(
            result.output == #"""
                STEP  TIME                         STREAM  ORIGIN            OUTCOME    ACTION
                   1  2025-01-01T00:00:05.000000Z  cart-1  dispatched                   {"add":{"item":"Tea","price":3}}
                   2  2025-01-01T00:00:06.000000Z  cart-1  dispatched                   "pay"
                   1  2025-01-01T00:00:07.000000Z  cart-2  dispatched        unsettled  {"add":{"item":"\u009b31m\u202ecafé"}}
                   3  2025-01-01T00:00:08.000000Z  cart-1  effect 2.0                   {"paid":{}}
                   1  2025-01-01T00:00:09.000000Z  till    machine cart-1 3  unsettled  {"booked":{}}
                   2  2025-01-01T00:00:10.000000Z  cart-2  restart 1         unsettled  no\n\u001b[2JJSON

                """#)
    }

    @Test func `lists one stream without naming it on each line`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        let result = try await Tool.run("log", "--stream", "till", shop)
        #expect(
            result.output == """
                STEP  TIME                         ORIGIN            OUTCOME    ACTION
                   1  2025-01-01T00:00:09.000000Z  machine cart-1 3  unsettled  {"booked":{}}

                """)
    }

    @Test func `writes one JSON object per entry, with the keys that its help lists`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        let result = try await Tool.run("log", "--json", shop)
        let entries = try objects(result.output)
        #expect(try keys(ofFirstLine: result.output) == Command.log.keys.map(\.name))
        #expect(entries.map { $0["position"] as? Int } == [1, 2, 3, 4, 5, 6])
        #expect(entries.map { $0["origin"] as? String }.last == "restart")
        #expect(entries.map { $0["name"] as? String } == ["add", "pay", "add", "paid", "booked", nil])
        let added = entries[0]["action"] as? [String: [String: Any]]
        #expect(added?["add"]?["item"] as? String == "Tea")
        #expect(entries[1]["action"] as? String == "pay")
        #expect(entries[3]["causeStep"] as? Int == 2)
        #expect(entries[3]["causeOrdinal"] as? Int == 0)
        #expect(entries[4]["causeStream"] as? String == "cart-1")
        #expect(entries[2]["version"] as? Int == 2)
    }

    @Test func `distinguishes an action that is not JSON from null`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        let entries = try objects(try await Tool.run("log", "--json", shop).output)
        #expect(entries[5]["action"] is NSNull)
        #expect(entries[5]["text"] as? String == "no\n\u{1B}[2JJSON")
        #expect(entries[0]["text"] is NSNull)
    }

    @Test(arguments: [[], ["--json"], ["--color", "always"]])
    func `writes no control characters for a terminal`(options: [String]) async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        let result = try await Tool.run(program: Tool.path, ["log", shop] + options)
        let plain = result.output.replacingOccurrences(of: "\u{1B}[2m", with: "")
            .replacingOccurrences(of: "\u{1B}[0m", with: "")
        #expect(plain.unicodeScalars.allSatisfy { $0 == "\n" || (0x20...0x7E).contains($0.value) || $0.value > 0xA0 })
        #expect(!plain.unicodeScalars.contains("\u{202E}"))
    }

    @Test func `dims its headline if colours are requested`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.counter(entries: 1)
        let result = try await Tool.run("log", "--color", "always", path)
        #expect(
            result.lines.first
                == "\u{1B}[2mSTEP  TIME                         STREAM   ORIGIN      OUTCOME    ACTION\u{1B}[0m")
        #expect(try await Tool.run("log", path).output.contains("\u{1B}") == false)
    }

    @Test(arguments: [
        (["--from=3", "--to=2"], "'--from' 3 is after '--to' 2."),
        (
            ["--since=2031-01-01T00:00:00Z", "--until=2030-01-01T00:00:00Z"],
            "'--since' 2031-01-01T00:00:00.000000Z is after '--until' 2030-01-01T00:00:00.000000Z."
        ),
    ])
    func `a range that ends before it begins is refused`(words: [String], message: String) async throws {
        let fixture = try Fixture()
        let path = try await fixture.counter(entries: 1)
        let result = try await Tool.run(program: Tool.path, ["log", path] + words)
        #expect(result.status == 64)
        #expect(result.error.hasPrefix("Error: \(message)\n"), "\(result.error)")
    }
}

@Suite struct `What log shows` {
    @Test(arguments: [
        ([], [1, 2, 3, 4, 5, 6]), (["--stream", "cart-1"], [1, 2, 4]),
        (["--stream", "cart-1", "--from", "2"], [2, 4]),
        (["--stream", "cart-1", "--to", "2"], [1, 2]), (["--stream", "cart-1", "--from", "2", "--to", "2"], [2]),
        (["--stream", "cart-1", "--from", "9"], []), (["--last", "2"], [5, 6]), (["-n", "100"], [1, 2, 3, 4, 5, 6]),
        (["--stream", "cart-1", "-n", "2"], [2, 4]), (["--stream", "cart-1", "-n", "1", "--to", "2"], [2]),
        (["--stream", "cart-1", "-n", "9", "--from", "2"], [2, 4]), (["--origin", "effect"], [4]),
        (["--origin", "effect", "--origin", "machine"], [4, 5]), (["--name", "add"], [1, 3]), (["--name", "pay"], [2]),
        (["--name", "add", "--name", "paid"], [1, 3, 4]), (["--name", "item"], []), (["--grep", "Tea"], [1]),
        (["--grep", "pa"], [2, 4]), (["--grep", "tea"], []), (["--last", "1", "--name", "add"], [3]),
        (["--since", "2025-01-01T00:00:09Z"], [5, 6]), (["--since", "2025-01-01T01:00:09+01:00"], [5, 6]),
        (["--until", "2025-01-01 00:00:06"], [1, 2]), (["--since", "2025-01-02"], []), (["--until", "2025-01-01"], []),
        (["--since", "2025-01-01T00:00:06", "--until", "2025-01-01T00:00:08", "-n", "2"], [3, 4]),
    ])
    func `is selected by its options`(options: [String], positions: [Int]) async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        let result = try await Tool.run(program: Tool.path, ["log", shop, "--json"] + options)
        #expect(try objects(result.output).compactMap { $0["position"] as? Int } == positions)
        #expect(result.status == 0)
        #expect(result.error == (positions.isEmpty ? "No entry matches.\n" : ""))
    }

    @Test(arguments: [[], ["a"]])
    func `is selected by the time of each entry, also if the clock was set back`(stream: [String]) async throws {
        let fixture = try Fixture()
        let path = fixture.path("a.db")
        let now = Lock(Timestamp(microseconds: 0))
        var options = Journal.Options()
        options.wallClock = { now.withLock { $0 } }
        let journal = try Journal(path: path, options: options)
        let store = try await journal.openStream("a", machine: "m")
        for second: Int64 in [10, 30, 20, 40, 15] {
            now.withLock { $0 = Timestamp(microseconds: 1_735_689_600_000_000 + second * 1_000_000) }
            try await store.append("\(second)")
        }
        try await journal.close()
        func steps(_ words: String...) async throws -> [Int] {
            let result = try await Tool.run(program: Tool.path, ["log", path, "--json"] + stream + words)
            #expect(result.status == 0, "\(result)")
            return try objects(result.output).compactMap { $0["step"] as? Int }
        }
        #expect(try await steps("--since", "2025-01-01T00:00:25Z") == [2, 4])
        #expect(try await steps("--since", "2025-01-01T00:00:10Z") == [1, 2, 3, 4, 5])
        #expect(try await steps("--since", "2025-01-01T00:00:41Z") == [])
        #expect(try await steps("--until", "2025-01-01T00:00:20Z") == [1, 3, 5])
        #expect(try await steps("--until", "2025-01-01T00:00:20Z", "--last", "2") == [3, 5])
        #expect(try await steps("--until", "2025-01-01T00:00:12Z") == [1])
        #expect(try await steps("--until", "2025-01-01T00:00:09Z") == [])
        let both = try await steps("--since", "2025-01-01T00:00:20Z", "--until", "2025-01-01T00:00:30Z")
        #expect(both == [2, 3])
    }

    /// Changes an entry of the shop, and lists those of some times.
    private func status(changed position: Int, _ words: String...) async throws -> Int32 {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        try fixture.execute("UPDATE entry SET time = time - 1 WHERE position = \(position)", in: shop)
        return try await Tool.run(program: Tool.path, ["log", shop] + words).status
    }

    @Test func `is read from the first entry of the time that is asked for, and to the last one`() async throws {
        #expect(try await status(changed: 1) == 65)
        #expect(try await status(changed: 1, "--since", "2025-01-01T00:00:08Z") == 0)
        #expect(try await status(changed: 1, "cart-1", "--since", "2025-01-01T00:00:08Z") == 0)
        #expect(try await status(changed: 3, "--until", "2025-01-01T00:00:05Z") == 0)
        // With the entry on the other side, whose time could have been another one.
        #expect(try await status(changed: 3, "--since", "2025-01-01T00:00:08Z") == 65)
        #expect(try await status(changed: 2, "cart-1", "--since", "2025-01-01T00:00:08Z") == 65)
        #expect(try await status(changed: 3, "--until", "2025-01-01T00:00:06Z") == 65)
    }

    @Test func `passes over what is damaged, says so, and exits with 65`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.counter(entries: 2_000)
        try fixture.damage(pageWith: #"{"add":{"n":1000}}"#, in: path)
        for lines in [["--json", path], ["--json", path, "counter"]] {
            let result = try await Tool.run(program: Tool.path, ["log"] + lines)
            #expect(result.status == 65)
            let steps = try objects(result.output).compactMap { $0["step"] as? Int }
            #expect((steps.first, steps.last) == (1, 2_000))
            #expect((1_800..<2_000).contains(steps.count))
            #expect(result.error.contains("The database is damaged. \(2_000 - steps.count) places in the list"))
        }
        for options in [["counter"], []] {
            let whole = try await Tool.run(program: Tool.path, ["log", path, "--json"] + options)
            let missing = 2_000 - whole.lines.count
            let last = try await Tool.run(program: Tool.path, ["log", path] + options + ["--json", "--last", "1100"])
            #expect(last.status == 65)
            let steps = try objects(last.output).compactMap { $0["step"] as? Int }
            #expect((steps.count, steps.first, steps.last) == (1_100, 901 - missing, 2_000))
        }
    }

    @Test func `names the list of all streams if the index of the steps is damaged, and tries no step after the last`()
        async throws
    {
        let fixture = try Fixture()
        let path = try await fixture.counter(entries: 20)
        try fixture.damage("entry_by_step", in: path)
        let result = try await Tool.run("log", path, "counter", "--json")
        #expect(result.status == 65)
        #expect(result.error.contains("`log` without STREAM may still read the entries."), "\(result.error)")
        #expect(try await Tool.run("log", path, "--json").lines.count == 20)
        var (pages, unreadable) = (EntryPages(try JournalReader(path: path), stream: "counter"), Unreadable())
        #expect(throws: JournalError.self) { try pages.page(&unreadable) }
        #expect(unreadable.entries == 20)
    }

    @Test func `groups the digits of all its counts of damage`() {
        var unreadable = Unreadable()
        (unreadable.entries, unreadable.breaks) = (1_234, 2_345)
        for step in 1...3_456 { unreadable.addOutcome(of: "a", at: step) }
        unreadable.firstBreak = JournalError(.corrupt, "The digest does not match.", stream: "a", step: 7)
        #expect(
            unreadable.error("shop.db")?.message
                == "The database is damaged. 1,234 places in the list of entries cannot be read. "
                + "2,345 entries are not as they were written. The first is step 7 of the stream 'a'. "
                + "The digest does not match. The outcomes of 3,456 steps cannot be read. The first is step 1 of the stream 'a'. "
                + "Everything else was listed.")
    }

    @Test func `is not disturbed by damage after the last step that is asked for`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.counter(entries: 2_000)
        try fixture.damage(pageWith: #"{"add":{"n":1000}}"#, in: path)
        let result = try await Tool.run("log", path, "--json", "--to", "700")
        #expect(result.status == 0 && result.lines.count == 700)
    }

    @Test(arguments: [[], ["a"], ["a", "--last", "4"], ["--from", "2", "--stream", "a"]])
    func `tells that an entry was changed or is missing, as show and page do`(_ options: [String]) async throws {
        let accounts = try await Fixture().accountsKept()
        let (fixture, path) = (accounts.fixture, accounts.path)
        try fixture.execute("UPDATE entry SET time = time - 3600000000 WHERE stream = 1 AND step = 6", in: path)
        let changed = try await Tool.run(program: Tool.path, ["log", path] + options)
        #expect(changed.status == 65)
        #expect(
            changed.error.contains(
                "The database is damaged. Step 6 of the stream 'a' is not as it was written. The entry does not have "
                    + "its digest: it was damaged or changed by hand. Everything else was listed."),
            "\(changed.error)")
        #expect(try await Tool.run("show", path, "a", "6").status == 65)
        #expect(try await Tool.run("show", path, "a", "7").status == 0)
        try fixture.execute("DELETE FROM entry WHERE stream = 1 AND step = 6", in: path)
        let missing = try await Tool.run(program: Tool.path, ["log", path] + options)
        #expect(missing.status == 65)
        #expect(
            missing.error.contains(
                "The entry is missing; the next one is step 7. Everything else was listed."),
            "\(missing.error)")
        #expect(try await Tool.run("show", path, "a", "7").status == 65)
        let page = try await Tool.run("page", path, "--out", fixture.path("page.html"))
        #expect(page.error.contains("stream 'a': step 6: The entry is missing; the next one is step 7."))
    }

    @Test(arguments: [[], ["a"], ["a", "--last", "2"], ["--from", "2", "--stream", "a"], ["--json"]])
    func `tells that the newest entry of a stream is missing`(_ options: [String]) async throws {
        let accounts = try await Fixture().accountsKept()
        let (fixture, path) = (accounts.fixture, accounts.path)
        #expect(try await Tool.run(program: Tool.path, ["log", path] + options).status == 0)
        try fixture.execute(
            "DELETE FROM entry WHERE stream = 1 AND step = (SELECT head_step FROM stream WHERE id = 1)", in: path)
        let result = try await Tool.run(program: Tool.path, ["log", path] + options)
        #expect(result.status == 65)
        #expect(
            result.error.contains("of the stream 'a' is not as it was written. The entry is missing"),
            "\(result.error)")
        let page = try await Tool.run("page", path, "--out", fixture.path("page.html"))
        #expect(page.error.contains("stream 'a': step"), "\(page.error)")
        #expect(try await Tool.run("log", path, "a", "--to", "3").status == 0)
    }

    @Test func `counts the entries that were changed, and names the first`() async throws {
        let accounts = try await Fixture().accountsKept()
        try accounts.fixture.execute(
            "UPDATE entry SET time = time - 3600000000 WHERE stream = 1 AND step IN (3, 6)", in: accounts.path)
        let result = try await Tool.run("log", accounts.path, "a")
        #expect(result.status == 65)
        #expect(
            result.error.contains(
                "The database is damaged. 2 entries are not as they were written. The first is step 3 of the stream "
                    + "'a'. The entry does not have its digest"),
            "\(result.error)")
    }

    @Test func `marks the entries that were changed in --json, and no entry because the one before it is missing`()
        async throws
    {
        let accounts = try await Fixture().accountsKept()
        try accounts.fixture.execute(
            "UPDATE entry SET time = time - 3600000000 WHERE stream = 1 AND step IN (3, 6)", in: accounts.path)
        for change in ["", "DELETE FROM entry WHERE stream = 1 AND step = 4"] {
            if !change.isEmpty { try accounts.fixture.execute(change, in: accounts.path) }
            for options in [[], ["a"], ["a", "--last", "6"], ["a", "--from", "3"]] {
                let result = try await Tool.run(program: Tool.path, ["log", accounts.path, "--json"] + options)
                #expect(result.status == 65)
                let marked = try objects(result.output).filter { $0["damaged"] as? Bool == true }
                #expect(marked.compactMap { $0["step"] as? Int } == [3, 6], "\(options): \(result)")
            }
        }
        let step = try await Tool.run("log", accounts.path, "--json", "a", "--from", "7")
        #expect(try objects(step.output).map { $0["damaged"] as? Bool } == [false, false], "\(step)")
    }

    @Test func `lists a step whose outcome is damaged`() async throws {
        let accounts = try await Fixture().accountsKept()
        try accounts.fixture.execute(
            "UPDATE step_record SET reason = 'x' WHERE outcome = 'rejected'", in: accounts.path)
        let whole = try await Tool.run("log", accounts.path)
        #expect(whole.status == 65)
        #expect(whole.lines.count == 10)
        #expect(whole.lines.last?.contains("  cannot be read  ") == true, "\(whole.output)")
        #expect(!whole.output.contains("unsettled"))
        #expect(
            whole.error.contains("The database is damaged. The outcome of step 1 of the stream 'b' cannot be read."))
        let unsettled = try await Tool.run("log", accounts.path, "--json", "--outcome", "unsettled")
        #expect(unsettled.status == 65 && unsettled.output == "")
    }

    @Test func `shows the outcomes of the steps before one whose outcome is damaged`() async throws {
        let accounts = try await Fixture().accountsKept()
        let steps = try accounts.fixture.number("SELECT max(step) FROM step_record WHERE stream = 1", in: accounts.path)
        try #require(steps > 1)
        try accounts.fixture.execute(
            "UPDATE step_record SET cascade = 'x' WHERE step = \(steps) AND stream = 1", in: accounts.path)
        let before = try await Tool.run("log", accounts.path, "a", "--to", "\(steps - 1)")
        #expect(before.status == 0 && !before.output.contains("cannot be read"), "\(before)")
        let step = try await Tool.run("show", accounts.path, "a", "\(steps - 1)")
        #expect(step.status == 0 && step.output.contains("reduced"), "\(step)")
        let damaged = try await Tool.run("show", accounts.path, "a", "\(steps)")
        #expect(damaged.status == 65 && damaged.error.contains("The outcome of step \(steps)"), "\(damaged)")
    }

    @Test func `is followed by a suggestion if no action has the name`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        let result = try await Tool.run("log", shop, "--name", "boked")
        #expect(result.error == "No entry matches. Did you mean --name 'booked'?\n")
        #expect(try await Tool.run("log", shop, "--name", "add", "--grep", "no").error == "No entry matches.\n")
    }

    @Test func `is followed by the reason if the steps were pruned`() async throws {
        let accounts = try await Fixture().accountsKept()
        #expect(try await Tool.inApp("snapshot", accounts.path, "a", "--at=5", "--yes").status == 0)
        #expect(try await Tool.run("prune", accounts.path, "a", "--before=6", "--yes").status == 0)
        let result = try await Tool.run("log", accounts.path, "a", "--from=1", "--to=2")
        #expect(result.status == 0)
        #expect(result.error == "No entry matches. The entries up to step 5 were pruned.\n")
        let later = try await Tool.run("log", accounts.path, "a", "--from=6", "--name=none")
        #expect(later.error == "No entry matches.\n", "\(later)")
    }

    @Test func `needs no stream name for steps if the journal has only one`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.counter(entries: 20)
        let entries = try objects(try await Tool.run("log", path, "--from", "19", "--json").output)
        #expect(entries.compactMap { $0["step"] as? Int } == [19, 20])
    }

    @Test func `needs a stream name for steps if the journal has several`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        let result = try await Tool.run("log", shop, "--from", "2")
        #expect(result.status == 64)
        #expect(
            result.error == """
                Error: '--from' and '--to' count the steps of one stream. The journal has 3 streams: name one after FILE: cart-1, cart-2, till.
                Usage: journal-replay log [OPTIONS] FILE [STREAM]
                See 'journal-replay log --help' for more.

                """)
    }

    @Test func `spans many pages, also from the end`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.counter(entries: 1_777)
        #expect(try await Tool.run("log", path).lines.count == 1_778)
        for options in [[], ["--stream", "counter"]] {
            let result = try await Tool.run(program: Tool.path, ["log", path, "--json", "-n", "1300"] + options)
            let steps = try objects(result.output).compactMap { $0["step"] as? Int }
            #expect(steps == Array(478...1_777))
        }
    }
}
