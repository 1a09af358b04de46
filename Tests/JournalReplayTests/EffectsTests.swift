import Testing

@testable import JournalReplayKit

@Suite struct `effects` {
    @Test func `lists each effect with its status, its attempts, its time and its error`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        let result = try await Tool.run("effects", shop)
        #expect(result.status == 0)
        // Remove the age, which depends on the current time, and the padding.
        let output = result.output.replacing(#/ \(\d+ days\)/#, with: "").replacing(#/ {2,}/#, with: "  ")
        #expect(result.output.contains(/since 2025-01-01T01:00:00.000000Z \(\d+ days\)\n/))
        #expect(
            output == #"""
                STREAM  EFFECT  NAME  ID  STATUS  ATTEMPTS  WHEN  ERROR
                cart-1  2.0  charge  PaymentID {"n":1}  completed  1  ended 2025-01-01T01:01:00.500000Z
                cart-1  2.1  mail  running  2  since 2025-01-01T01:00:00.000000Z
                cart-1  3.0  print  failed  3  ended 2025-01-01T01:01:00.500000Z  no paper\u0007
                cart-2  1.0  remind  delayed  0  until 2025-01-01T01:01:00.500000Z

                """#)
    }

    @Test func `accepts any start time that a file can hold`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        for time in ["-9223372036854775808", "9223372036854775807"] {
            try fixture.change("UPDATE effect_run SET started = \(time)", in: shop)
            #expect(try await Tool.run("effects", shop).status == 0)
        }
    }

    @Test func `show prints one effect with its remembered steps`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        for line in [["effects", "show", shop, "2.1"], ["effects", shop, "show", "2.1"]] {
            let result = try await Tool.run(program: Tool.path, line + ["--stream=cart-1"])
            #expect(result.status == 0)
            #expect(
                result.output.replacing(#/ {2,}/#, with: "  ") == #"""
                    stream  cart-1
                    step  2
                    ordinal  1
                    rootStep  2
                    name  mail
                    queue  outbox
                    status  running
                    attempts  2
                    failures  0
                    restart  resume
                    retry  {"maxAttempts":5}
                    started  2025-01-01T01:00:00.000000Z
                    delivered  0

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
        let none = try await Tool.run("effects", "show", shop, "2.7", "--stream=cart-1")
        #expect(none.status == 66)
        #expect(none.error == "Error: There is no effect 2.7 in the stream 'cart-1'; `effects` lists them.\n")
        let wrong = try await Tool.run("effects", "show", shop, "mail", "--stream=cart-1")
        #expect(wrong.status == 64)
        #expect(wrong.error.contains("Usage: journal-replay effects show [OPTIONS] FILE EFFECT"))
    }

    @Test func `writes one JSON object per effect, with the keys that its help lists`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        let result = try await Tool.run("effects", "--json", shop)
        let effects = try objects(result.output)
        #expect(try keys(ofFirstLine: result.output) == Command.effects.keys.map(\.name))
        #expect(effects.map { $0["name"] as? String } == ["charge", "mail", "print", "remind"])
        #expect((effects[1]["retry"] as? [String: Int])?["maxAttempts"] == 5)
        #expect(effects[2]["error"] as? String == "no paper\u{7}")
        #expect(effects[3]["notBefore"] as? String == "2025-01-01T01:01:00.500000Z")
    }

    @Test(arguments: [
        (["--status", "running"], ["mail"]), (["--status", "live"], ["mail", "remind"]),
        (["--status", "failed", "--status", "delayed"], ["print", "remind"]), (["--status", "parked"], []),
        (["--stream", "cart-2"], ["remind"]), (["--stream", "cart-1", "--status", "live"], ["mail"]),
        (["--stream", "till"], []),
    ])
    func `can be filtered`(options: [String], names: [String]) async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        let result = try await Tool.run(program: Tool.path, ["effects", shop, "--json"] + options)
        #expect(try objects(result.output).compactMap { $0["name"] as? String } == names)
        #expect(result.status == 0)
        #expect(result.error == (names.isEmpty ? "No effect matches.\n" : ""))
    }

    @Test func `shows effects that need attention in red`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        let result = try await Tool.run("effects", "--color=always", shop)
        let red = result.lines.filter { $0.contains("\u{1B}[31m") }
        #expect(red.count == 1)
        #expect(red.first?.contains("\u{1B}[31mfailed\u{1B}[0m") == true)
    }
}
