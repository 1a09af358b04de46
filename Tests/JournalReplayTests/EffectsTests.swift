import JournalStore
import Testing

@testable import JournalReplayKit

@Suite struct `effects` {
    @Test func `lists each effect with its status, its attempts, its time and its error`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        let result = try await Tool.run("effects", "--all", shop)
        #expect(result.status == 0)
        // Remove the age, which depends on the current time, and the padding.
        let output = result.output.replacing(#/ \(\d+ days\)/#, with: "").replacing(#/ {2,}/#, with: "  ")
            .replacing(#/[0-9a-f]{32}/#, with: "KEY")
        #expect(result.output.contains(#/first started 2025-01-01T01:00:00.000000Z \(\d+ days\)  /#))
        #expect(
            output == #"""
                STREAM  EFFECT  KIND  NAME  ID  STATUS  ATTEMPTS  DISPATCH ID  IDEMPOTENCY KEY  WHEN  LAST ERROR
                cart-1  2.0  effect  charge  PaymentID {"n":1}  completed  1  KEY  ended 2025-01-01T01:01:00.500000Z
                cart-1  2.1  effect  mail  running  2  KEY  first started 2025-01-01T01:00:00.000000Z  no line\u0007
                cart-1  3.0  effect  print  failed  3  KEY  ended 2025-01-01T01:01:00.500000Z  no paper\u0007
                cart-2  1.0  effect  remind  delayed  0  KEY  until 2025-01-01T01:01:00.500000Z

                """#)
    }

    @Test func `lists what is sound, and names the place of what is damaged`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        try fixture.execute("UPDATE effect_run SET attempts = 7 WHERE name = 'mail'", in: shop)
        let result = try await Tool.run("effects", "--all", shop)
        #expect(result.status == 65)
        #expect(["charge", "print", "remind"].allSatisfy { result.output.contains($0) }, "\(result)")
        #expect(
            result.error.contains("One that belongs here cannot be listed, at step 2 of the stream 'cart-1'."),
            "\(result)")
        let show = try await Tool.run("show", shop, "cart-1", "2")
        #expect(show.status == 65)
        #expect(show.output.contains("Action\n") && show.output.contains("2.0 'charge' completed"), "\(show)")
        #expect(show.error.contains("One that belongs here cannot be listed, at step 2"), "\(show)")
        // An act that selects effects is not carried out on a part of them.
        let act = try await Tool.run("cancel", shop, "--status", "live", "--yes")
        #expect(act.status == 65)
        #expect(act.error.contains("stream cart-1, step 2") || act.error.contains("stream 'cart-1', step 2"), "\(act)")
        #expect(act.output == "")
    }

    @Test func `lists what is sound if a stream's row is damaged`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        try fixture.execute("UPDATE stream SET created = created + 1 WHERE name = 'cart-1'", in: shop)
        let effects = try await Tool.run("effects", "--all", shop)
        #expect(effects.status == 65)
        #expect(effects.output.contains("remind"), "\(effects)")
        #expect(
            effects.error.contains("3 that belong here cannot be listed, the first of the stream 'cart-1'."),
            "\(effects)")
        let streams = try await Tool.run("streams", shop)
        #expect(streams.status == 65)
        #expect(streams.output.contains("cart-2"), "\(streams)")
        #expect(streams.error.contains("One that belongs here cannot be listed, of the stream 'cart-1'."), "\(streams)")
    }

    @Test func `does not say that an effect waits since it was first started`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        #expect(try await Tool.run("retry", shop, "cart-1", "3.0", "--yes").status == 0)
        let line = try #require(try await Tool.run("effects", shop, "--name", "print").lines.last)
        #expect(line.contains(#/ waiting .* first started 2025-01-01T01:00:00.000000Z \(\d+ days\)/#), "\(line)")
        #expect(!line.contains("since"))
    }

    @Test func `tells since when an effect runs in its first attempt`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        try fixture.change("UPDATE effect_run SET attempts = 1 WHERE name = 'mail'", in: shop)
        let line = try #require(try await Tool.run("effects", shop, "--name", "mail").lines.last)
        #expect(line.contains(#/ running .* since 2025-01-01T01:00:00.000000Z \(\d+ days\)/#), "\(line)")
    }

    @Test func `tells since when an effect is due that is to be tried again and is held up by its queue`() async throws
    {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        try fixture.change("UPDATE effect_run SET status = 'delayed', failures = 1 WHERE name = 'remind'", in: shop)
        let due = try #require(try await Tool.run("effects", shop, "--name", "remind").lines.last)
        #expect(due.contains(#/ delayed .* due since 2025-01-01T01:01:00.500000Z \(\d+ days\)/#), "\(due)")
        try fixture.change("UPDATE effect_run SET failures = 0 WHERE name = 'remind'", in: shop)
        let delayed = try #require(try await Tool.run("effects", shop, "--name", "remind").lines.last)
        #expect(delayed.contains(#/ delayed .* until 2025-01-01T01:01:00.500000Z/#), "\(delayed)")
    }

    @Test func `tells when an effect that waits may start, or when its step was committed`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        try fixture.change(
            """
            UPDATE effect_run SET status = 'waiting', attempts = 0, started = NULL WHERE name = 'mail';
            UPDATE effect_run SET status = 'waiting' WHERE name = 'remind'
            """, in: shop)
        let result = try await Tool.run("effects", shop)
        let (mail, remind) = (result.lines.dropFirst().first ?? "", result.lines.last ?? "")
        #expect(mail.contains(#/ waiting .* committed 2025-01-01T00:00:06.000000Z \(\d+ days\)/#), "\(result)")
        #expect(remind.contains(#/ waiting .* not before 2025-01-01T01:01:00.500000Z/#), "\(result)")
    }

    @Test func `writes the queue of an effect as JSON, as its ID`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        try fixture.change(#"UPDATE effect_run SET queue = '{"Mail":{}}' WHERE name = 'mail'"#, in: shop)
        let result = try await Tool.run("effects", shop, "--name", "mail", "--json")
        #expect(result.output.contains(#","queue":{"Mail":{}},"#), "\(result)")
    }

    @Test func `tell timers and messages to other machines apart, in the words of the view`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        try fixture.change(
            #"""
            UPDATE effect_run SET sends = '{"mail":{}}', described = '{"message":{}}' WHERE name = 'mail';
            UPDATE effect_run SET sends = '{"remind":{}}' WHERE name = 'remind'
            """#, in: shop)
        let kinds = ["effect", "message", "effect", "timer"]
        let list = try await Tool.run("effects", "--all", shop)
        #expect(list.lines.dropFirst().map { $0.split(separator: " ")[2] } == kinds.map { Substring($0) })
        let json = try objects(try await Tool.run("effects", "--all", "--json", shop).output)
        #expect(json.map { $0["kind"] as? String } == kinds)
        for (name, kind) in zip(["charge", "mail", "print", "remind"], kinds) {
            let sql = "SELECT count(*) FROM effects WHERE name = '\(name)' AND kind = '\(kind)'"
            #expect(try fixture.number(sql, in: shop) == 1)
        }
        let one = try await Tool.run("effects", "show", shop, "cart-1", "2.1")
        #expect(one.output.contains(#/\nKind +message\n/#), "\(one)")
        let step = try await Tool.run("show", shop, "cart-1", "2")
        #expect(step.output.contains("  2.1 message 'mail' running, 2 attempts"), "\(step)")
        #expect(step.output.contains("  2.0 'charge' completed, 1 attempt"))
    }

    @Test func `accepts any start time that a file can hold`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        for time in ["-9223372036854775808", "9223372036854775807"] {
            try fixture.change("UPDATE effect_run SET started = \(time)", in: shop)
            #expect(try await Tool.run("effects", "--all", shop).status == 0)
        }
    }

    @Test func `show prints one effect with its remembered steps`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        for line in [["effects", "show", shop, "2.1"], ["effects", shop, "show", "2.1"]] {
            let result = try await Tool.run(program: Tool.path, line + ["--stream=cart-1"])
            #expect(result.status == 0)
            #expect(
                result.output.replacing(#/ {2,}/#, with: "  ").replacing(#/[0-9a-f]{32}/#, with: "KEY") == #"""
                    Stream  cart-1
                    Step  2
                    Effect  2.1
                    Dispatched step  2
                    Name  mail
                    Idempotency key  KEY
                    Queue  outbox
                    Status  running
                    Attempts  2
                    Failures  1
                    Restart  resume
                    Retry  {"maxAttempts":5}
                    Committed  2025-01-01T00:00:06.000000Z
                    Started  2025-01-01T01:00:00.000000Z
                    Last error  no line\u0007
                    Actions sent  0

                    ATTEMPT  STARTED  ENDED  OUTCOME  ERROR
                      1  2025-01-01T01:00:00.000000Z  2025-01-01T01:01:00.500000Z  failed  no line\u0007
                      2  2025-01-01T01:01:00.500000Z  running

                    REMEMBERED  USE  RESULT
                    /render  1  "page"
                    /send/1/open  2  {"port":25}

                    """#)
        }
        let json = try await Tool.run("effects", "show", "--json", shop, "2.1", "--stream=cart-1")
        #expect(try keys(ofFirstLine: json.output) == Command.showEffect.keys.map(\.name))
        let object = try #require(try objects(json.output).first)
        let remembered = try #require(object["remembered"] as? [[String: Any]])
        #expect(remembered.map { $0["name"] as? String } == ["render", "open"])
        #expect(remembered[1]["use"] as? Int == 2)
    }

    @Test func `show takes a step that has one effect, and names the effects of a step that has several`()
        async throws
    {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        let none = try await Tool.run("effects", "show", shop, "2.7", "--stream=cart-1")
        #expect(none.status == 66)
        #expect(
            none.error
                == "Error: \(shop), stream 'cart-1', step 2: There is no effect 2.7. Step 2 has 2.0 'charge', "
                + "2.1 'mail'. [no-such-step]\n")
        // A step alone names its only effect.
        let only = try await Tool.run("effects", "show", "--json", shop, "3", "--stream=cart-1")
        #expect(try objects(only.output).first?["name"] as? String == "print")
        for line in [["effects", "show"], ["cancel"]] {
            let several = try await Tool.run(program: Tool.path, line + [shop, "2", "--stream=cart-1"])
            #expect(several.status == 64)
            #expect(
                several.error.hasPrefix(
                    "Error: Step 2 has several effects, such as 2.0 'charge', 2.1 'mail': name one of them.\n"))
        }
        #expect(try await Tool.run("effects", "show", shop, "4", "--stream=cart-1").status == 66)
        let wrong = try await Tool.run("effects", "show", shop, "mail", "--stream=cart-1")
        #expect(wrong.status == 64)
        #expect(wrong.error.contains("Usage: journal-replay effects show [OPTIONS] FILE [STREAM] EFFECT"))
    }

    @Test func `show lists all attempts, and shows no error of an effect that completed in the end`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        try fixture.change(
            """
            UPDATE effect_run SET status = 'completed', ended = started + 90000000, attempts = 3 WHERE name = 'mail';
            UPDATE effect_attempt SET attempt = 3 WHERE attempt = 2;
            INSERT INTO effect_attempt SELECT stream, step, ordinal, 2, started, NULL, x'00', NULL FROM effect_attempt WHERE attempt = 3
            """, in: shop)
        let json = try await Tool.run("effects", "show", "--json", shop, "2.1", "--stream=cart-1")
        let object = try #require(try objects(json.output).first)
        #expect(object["lastError"] is String == false)
        let history = try #require(object["history"] as? [[String: Any]])
        #expect(history.map { $0["attempt"] as? Int } == [1, 2, 3])
        #expect(history.map { $0["outcome"] as? String } == ["failed", "cut off", "completed"])
        #expect(history.map { $0["error"] as? String } == ["no line\u{7}", nil, nil])
        #expect(history.last?["ended"] as? String == "2025-01-01T01:01:30.000000Z")
    }

    @Test func `writes one JSON object per effect, with the keys that its help lists`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        let result = try await Tool.run("effects", "--all", "--json", shop)
        let effects = try objects(result.output)
        #expect(try keys(ofFirstLine: result.output) == Command.effects.keys.map(\.name))
        #expect(effects.map { $0["name"] as? String } == ["charge", "mail", "print", "remind"])
        #expect((effects[1]["retry"] as? [String: Int])?["maxAttempts"] == 5)
        #expect(effects[2]["lastError"] as? String == "no paper\u{7}")
        #expect(effects[3]["notBefore"] as? String == "2025-01-01T01:01:00.500000Z")
    }

    @Test(arguments: [
        ([], ["mail", "remind"]), (["--all"], ["charge", "mail", "print", "remind"]),
        (["--status", "running"], ["mail"]),
        (["--name", "print", "--all"], ["print"]), (["--name", "mail", "--name", "remind"], ["mail", "remind"]),
        (["--older-than", "10m"], ["mail", "remind"]), (["--older-than", "500w", "--all"], []),
        (["--newer-than", "10m"], []), (["--newer-than", "500w"], ["mail", "remind"]),
        (["--newer-than", "500w", "--older-than", "1d", "--all"], ["charge", "mail", "print", "remind"]),
        (["--status", "live"], ["mail", "remind"]),
        (["--status", "failed", "--status", "delayed"], ["print", "remind"]), (["--status", "parked"], []),
        (["--all", "--status", "failed"], ["print"]), (["--status", "live", "--all"], ["mail", "remind"]),
        (["--stream", "cart-2"], ["remind"]),
        (["cart-1", "--all", "--older-than", "1d"], ["charge", "mail", "print"]),
        (["--stream", "cart-1", "--status", "live"], ["mail"]),
        (["--stream", "till"], []),
    ])
    func `can be filtered`(options: [String], names: [String]) async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        let result = try await Tool.run(program: Tool.path, ["effects", shop, "--json"] + options)
        #expect(try objects(result.output).compactMap { $0["name"] as? String } == names)
        #expect(result.status == 0)
        #expect(result.error.hasPrefix(names.isEmpty ? "No effect matches." : ""))
    }

    @Test func `an effect that has failed, or waits for a person, is shown as a problem`() {
        #expect(Set(EffectRun.Status.allCases.filter(\.isProblem)) == [.failed, .asked, .parked, .orphaned])
    }

    @Test func `names the streams whose effects a crash loop holds back`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        func leave(openings: Int, suspects: String) throws {
            let record = #"{"began":1,"longest":1,"openings":\#(openings),"suspicions":1\#(suspects)}"#
            try fixture.change("UPDATE stream SET crash_loop = '\(record)' WHERE name = 'cart-1'", in: shop)
        }
        let key = #"{"ordinal":1,"step":2}"#
        try leave(openings: 4, suspects: #","suspects":{"first":\#(key),"last":\#(key)}"#)
        for (words, isNoted) in [
            ([shop], true), ([shop, "cart-1"], true), ([shop, "--name", "mail"], true), ([shop, "cart-2"], false),
            ([shop, "--name", "remind"], false), ([shop, "--json"], false),
            (["show", shop, "cart-1", "2.1"], true), (["show", shop, "cart-1", "2.0"], false),
        ] {
            let result = try await Tool.run(program: Tool.path, ["effects"] + words)
            #expect(result.status == 0)
            let text = "Crash loop of the stream 'cart-1': none of its last 4 openings has become stable."
            #expect(result.error.contains(text) == isNoted, "\(words) \(result)")
            #expect(result.error.contains(" The suspect is effect 2.1. ") == isNoted)
            #expect(result.error.contains(" --stream=cart-1 2.1`") == isNoted)
        }
        let streams = try objects(try await Tool.run("streams", shop, "--json").output)
        #expect(streams.map { $0["unstableOpenings"] as? Int } == [4, 0, 0])
        try leave(openings: 3, suspects: "")
        #expect(try await Tool.run("effects", shop).error.contains(" --status=parked`."))
        // The next opening starts all effects at once.
        try leave(openings: 2, suspects: "")
        #expect(try await !Tool.run("effects", shop).error.contains("Crash loop"))
    }

    @Test func `tells that nothing runs while no process has the journal open`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        let note =
            "No process has this journal open: what was running goes on when its stream is opened, as its restart policy says.\n"
        for (words, isNoted) in [
            ([shop], true), ([shop, "--all"], true), ([shop, "cart-2"], false), ([shop, "--json"], false),
            (["show", shop, "cart-1", "2.1"], true), (["show", shop, "cart-1", "2.0"], false),
            (["show", shop, "cart-1", "2.1", "--json"], false),
        ] {
            let result = try await Tool.run(program: Tool.path, ["effects"] + words)
            #expect(result.status == 0)
            #expect(result.error.hasSuffix(note) == isNoted, "\(words): \(result.error)")
        }
        let journal = try Journal(path: shop)
        for words in [[shop], ["show", shop, "cart-1", "2.1"]] {
            let result = try await Tool.run(program: Tool.path, ["effects"] + words)
            #expect(!result.error.contains("No process"), "\(words): \(result.error)")
        }
        try await journal.close()
    }

    @Test func `shows effects that need attention in red`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        let result = try await Tool.run("effects", "--all", "--color=always", shop)
        let red = result.lines.filter { $0.contains("\u{1B}[31m") }
        // An error is red too, of any effect.
        #expect(red.map { $0.contains("\u{1B}[31mfailed\u{1B}[0m") } == [false, true])
    }
}
