import JournalStore
import Testing

@testable import JournalReplayKit

@Suite struct `An act on several effects` {
    /// Every effect that is live or failed, as `status name` with its stream.
    private func statuses(_ shop: String) async throws -> [String] {
        try objects(try await Tool.run("effects", "--all", "--json", shop).output).map { row in
            "\(row["stream"] ?? "") \(row["name"] ?? "") \(row["status"] ?? "")"
        }
    }

    @Test(arguments: [[], ["--dry-run"]])
    func `is only reported without --yes`(options: [String]) async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        let before = try await statuses(shop)
        let result = try await Tool.run(program: Tool.path, ["cancel", shop, "--status", "live"] + options)
        #expect(result.status == 0)
        #expect(
            result.output == """
                Would cancel effect 2.1 'mail' (running) of the stream 'cart-1'.
                Would cancel effect 1.0 'remind' (delayed) of the stream 'cart-2'.
                Would cancel 2 effects. Nothing was changed; add --yes to do it.

                """)
        #expect(try await statuses(shop) == before)
        #expect(try fixture.number("SELECT count(*) FROM intervention", in: shop) == 0)
    }

    @Test func `is done with --yes, over all streams, and recorded with its reason`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        let result = try await Tool.run("cancel", shop, "--older-than", "10m", "--yes", "--reason", "ann: incident 7")
        #expect(
            result.output == """
                Cancelled effect 2.1 'mail' (running) of the stream 'cart-1'.
                Cancelled effect 1.0 'remind' (delayed) of the stream 'cart-2'.
                Cancelled 2 effects.

                """)
        #expect(
            try await statuses(shop) == [
                "cart-1 charge completed", "cart-1 mail cancelled", "cart-1 print failed", "cart-2 remind cancelled",
            ])
        let acts = try objects(try await Tool.run("interventions", "--json", shop).output)
        #expect(acts.map { $0["stream"] as? String } == ["cart-1", "cart-2"])
        #expect(acts.allSatisfy { $0["reason"] as? String == "ann: incident 7" })
        #expect(try await Tool.run("verify", shop).status == 0)
    }

    @Test func `is done whole, even if nobody reads its report`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        // The reader of the pipe has ended before the first line.
        let result = try await Tool.shell(
            """
            mkfifo "$2"; cat "$2" > /dev/null & exec 3> "$2"; kill $!; wait $!
            "$0" cancel "$1" --status live --yes >&3
            """, shop, fixture.path("pipe"))
        #expect(result.status == 141)
        #expect(
            try await statuses(shop) == [
                "cart-1 charge completed", "cart-1 mail cancelled", "cart-1 print failed", "cart-2 remind cancelled",
            ])
    }

    @Test(arguments: [
        (["cancel", "--name", "mail"], ["mail"]), (["cancel", "cart-2", "--status", "live"], ["remind"]),
        (["cancel", "--name", "print"], []), (["retry", "--name", "print"], ["print"]),
        (["retry", "--older-than", "1s"], ["print"]), (["retry", "--name", "charge", "--status", "completed"], []),
        (["retry", "--newer-than", "500w"], ["print"]), (["retry", "--newer-than", "1h"], []),
        (["cancel", "--newer-than", "500w", "--older-than", "1h"], ["mail", "remind"]),
        (["release", "--status", "live"], []), (["release", "--older-than", "1s"], []),
    ])
    func `selects effects by stream, name, status and age`(words: [String], names: [String]) async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        let line = [words[0], shop] + words.dropFirst() + ["--json"]
        let result = try await Tool.run(program: Tool.path, line)
        #expect(try objects(result.output).compactMap { $0["name"] as? String } == names)
        #expect(try objects(result.output).allSatisfy { $0["done"] as? Bool == false })
    }

    @Test func `leaves out the effects on which it is not possible, and reports why`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        let result = try await Tool.run("release", shop, "--status", "running", "--yes")
        #expect(result.status == 1)
        #expect(result.output == "Released 0 effects.\n")
        #expect(result.error == "Left out, stream 'cart-1': The effect 'mail' (2.1) is running.\n")
    }

    @Test func `tells after how many effects an error stopped it`() async throws {
        let fixture = try Fixture()
        let journal = try fixture.open()
        let stream = try await journal.openStream("cart-1", machine: "cart")
        try await stream.append("1")
        var batch = Batch()
        batch.runs = (0..<200).map { number in
            EffectRun(
                stream: stream.id, step: 1, ordinal: number, rootStep: 1, name: "mail", status: .running, attempts: 1,
                started: Timestamp(microseconds: 1_735_693_200_000_000))
        }
        batch.settled = [stream.id: 1]
        _ = try await journal.commit(batch)
        try await journal.close()
        // The WAL becomes larger than a file may be.
        let result = try await Tool.shell(
            #"trap '' XFSZ; ulimit -f 800; exec "$0" cancel "$1" --name mail --yes"#, fixture.path("shop.db"))
        #expect(result.status == 74, "\(result)")
        let count = result.lines.count
        #expect((1..<200).contains(count))
        #expect(
            result.error.contains("Warning: Stopped after \(count) of 200 effects: those stay as they are now.\n"),
            "\(result.error)")
    }

    @Test func `an act on no effect does not advise to add --yes`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        let result = try await Tool.run("retry", shop, "--status", "completed")
        #expect(result.output == "Would retry 0 effects.\n")
    }

    @Test func `a retry of cancelled effects says that the machine has cancelled some, unless they are named`()
        async throws
    {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        try fixture.change("UPDATE effect_run SET status = 'cancelled' WHERE name IN ('charge', 'mail')", in: shop)
        let remark = "The machine itself has cancelled effects too, such as the timeouts of work that ended in time: "
        for (options, isNoted) in [
            (["--status", "cancelled"], true), (["--status", "cancelled", "--status", "failed"], true),
            (["--status", "cancelled", "--name", "mail"], false), (["--status", "failed"], false),
        ] {
            let result = try await Tool.run(program: Tool.path, ["retry", shop] + options)
            #expect(result.status == 0)
            #expect(result.error.hasPrefix(remark) == isNoted, "\(options) \(result)")
        }
    }

    @Test func `suggests the name of an effect`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        let result = try await Tool.run("cancel", shop, "--name", "mial")
        #expect(
            result.error
                == "No effect matches. Did you mean --name 'mail'? Without --status only live effects are selected.\n")
    }

    @Test(arguments: [
        (["--name", "mail"], "No effect matches. Without --status only failed effects are selected.\n"),
        (["--name", "mail", "--status", "cancelled"], "No effect matches.\n"),
    ])
    func `says which effects a retry selects if none matches`(options: [String], remark: String) async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        let result = try await Tool.run(program: Tool.path, ["retry", shop] + options)
        #expect(result.error == remark)
    }

    @Test(arguments: [
        (
            ["cancel", "SHOP"],
            "Name an effect, such as 17.0, or select effects with --name, --status, --older-than or --newer-than."
        ),
        (
            ["cancel", "SHOP", "cart-1"],
            "Name an effect, such as 17.0, or select effects with --name, --status, --older-than or --newer-than."
        ),
        (["cancel", "SHOP", "--yes"], "Name an effect, such as 17.0, or select effects"),
        (["cancel", "SHOP", "cart-1", "2.1", "--name", "mail"], "EFFECT names one effect: leave out --name"),
        (["cancel", "SHOP", "--status", "live", "--yes", "--dry-run"], "'--dry-run' and '--yes' exclude each other."),
        (["cancel", "SHOP", "--older-than", "10"], "'--older-than' takes a span such as 45s, 10m"),
        (["cancel", "SHOP", "--newer-than", "10"], "'--newer-than' takes a span such as 45s, 10m"),
        (
            ["retry", "SHOP", "--newer-than", "10m", "--older-than", "2h"],
            "No effect can be older than 2h ('--older-than') and newer than 10m ('--newer-than')."
        ),
    ])
    func `is refused without a selection, or with a contradiction`(words: [String], message: String) async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        let result = try await Tool.run(program: Tool.path, words.map { $0 == "SHOP" ? shop : $0 })
        #expect(result.status == 64)
        #expect(result.error.hasPrefix("Error: \(message)"), "\(result.error)")
        #expect(try fixture.number("SELECT count(*) FROM intervention", in: shop) == 0)
    }

    @Test func `is done by the app that holds the journal`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        let journal = try Journal(path: shop)
        let result = try await Tool.run("cancel", shop, "cart-1", "--status", "live", "--yes", "--wait", "600")
        #expect(result.status == 0)
        #expect(result.lines.last?.hasPrefix("Cancelled ") == true)
        #expect(try journal.reader.effectRuns(in: "cart-1").allSatisfy { $0.status.isFinal })
        try await journal.close()
    }
}

@Suite struct `interventions` {
    @Test func `lists every act with its time, object and reason`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        #expect(try await Tool.run("interventions", shop).error == "There are no interventions.\n")
        #expect(try await Tool.run("interventions", shop, "--since", "1h").error == "No intervention matches.\n")
        _ = try await Tool.run("cancel", shop, "cart-1", "2.1", "--yes", "--reason", "wrong \u{1B}[2J address")
        _ = try await Tool.run("skip", shop, "till", "1", "--yes")
        let result = try await Tool.run("interventions", shop)
        #expect(
            result.lines.map { $0.replacing(#/ {2,}/#, with: "  ").replacing(#/\d{4}-\S+Z/#, with: "TIME") } == [
                "TIME  STREAM  ACT  OF  NAME  BEFORE  USER  REASON",
                #"TIME  cart-1  cancel  effect 2.1  mail  running  \#(UserName.current)  wrong \u001b[2J address"#,
                "TIME  till  skip  step 1  booked  \(UserName.current)",
            ])
        let json = try await Tool.run("interventions", shop, "till", "--json")
        #expect(try keys(ofFirstLine: json.output) == Command.interventions.keys.map(\.name))
        #expect(try objects(json.output).map { $0["act"] as? String } == ["skip"])
        for (options, count) in [
            (["--act", "cancel"], 1), (["--since", "1h"], 2), (["--until", "1h"], 0), (["--until", "2025-01-01"], 0),
        ] {
            let found = try await Tool.run(program: Tool.path, ["interventions", shop, "--json"] + options)
            #expect(try objects(found.output).count == count, "\(options)")
        }
        let other = try await Tool.run("interventions", shop, "cart-2")
        #expect(other.error == "No intervention matches.\n")
    }

    @Test func `refuses a range that ends before it begins`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        let result = try await Tool.run("interventions", shop, "--since=2031-01-01", "--until=2030-01-01")
        #expect(result.status == 64)
        let message = "'--since' 2031-01-01T00:00:00.000000Z is after '--until' 2030-01-01T00:00:00.000000Z."
        #expect(result.error.hasPrefix("Error: \(message)\n"), "\(result.error)")
    }
}
