import Testing

@testable import JournalReplayKit

@Suite struct `effects` {
    @Test func `lists each effect with its status, its attempts, its time and its error`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        let result = try await Tool.run("effects", shop)
        #expect(result.status == 0)
        #expect(
            result.output == #"""
                STREAM  EFFECT  NAME    ID                 STATUS     ATTEMPTS  WHEN                               ERROR
                cart-1  2.0     charge  PaymentID {"n":1}  completed         1  ended 2025-01-01T01:01:00.500000Z
                cart-1  2.1     mail                       running           2  since 2025-01-01T01:00:00.000000Z
                cart-1  3.0     print                      failed            3  ended 2025-01-01T01:01:00.500000Z  no paper\u0007
                cart-2  1.0     remind                     delayed           0  until 2025-01-01T01:01:00.500000Z

                """#)
    }

    @Test func `gives a line of JSON for each, with the keys its help names`() async throws {
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
    func `can be chosen`(options: [String], names: [String]) async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        let result = try await Tool.run(program: Tool.path, ["effects", shop, "--json"] + options)
        #expect(try objects(result.output).compactMap { $0["name"] as? String } == names)
        #expect(result.status == 0)
        #expect(result.error == (names.isEmpty ? "No effect matches.\n" : ""))
    }

    @Test func `shows in red what somebody should look at`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        let result = try await Tool.run("effects", "--color=always", shop)
        let red = result.lines.filter { $0.contains("\u{1B}[31m") }
        #expect(red.count == 1)
        #expect(red.first?.contains("\u{1B}[31mfailed\u{1B}[0m") == true)
    }
}
