import Testing

@testable import JournalReplayKit

@Suite struct `bisect` {
    @Test(arguments: [
        ("balance < 0", "Step 5 is", #"{"add":{"_0":-20}}"#), ("lines.count >= 3", "Step 4 is", "both"),
        ("status.closed", "Step 8 is", "close"), ("answers contains \"yes\"", "Step 7 is", "answer"),
        ("balance != 1000", "Step 0 is", ""),
    ])
    func `finds the first step where a condition holds`(condition: String, line: String, action: String) async throws {
        let accounts = try await Fixture().accountsKept()
        for how in [[], ["--scan"]] {
            let result = try await Tool.run(
                program: Tool.app, ["bisect", accounts.path, "--stream=a", "--where", condition] + how)
            #expect(result.status == 0)
            #expect(result.error == "")
            #expect(result.output.hasPrefix("\(line) the first at which the condition holds ("))
            #expect(result.output.contains(action))
        }
    }

    @Test func `finds a condition that holds only for a while with --scan`() async throws {
        let accounts = try await Fixture().accountsKept()
        let halved = try await Tool.inApp("bisect", accounts.path, "--stream=a", "--where", "balance > 12")
        #expect(halved.status == 1)
        #expect(halved.output == "")
        #expect(
            halved.error
                == "The condition does not hold at step 8 (1 state checked). "
                + "It may hold at an earlier step: --scan checks every step.\n"
        )
        let scanned = try await Tool.inApp("bisect", accounts.path, "--stream=a", "--where", "balance > 12", "--scan")
        #expect(scanned.output.hasPrefix("Step 4 is the first at which the condition holds (5 states checked).\n"))
        let nowhere = try await Tool.inApp("bisect", accounts.path, "--stream=a", "--where", "balance > 99", "--scan")
        #expect(nowhere.status == 1)
        #expect(nowhere.error == "The condition holds at no step from 0 to 8 (9 states checked).\n")
    }

    @Test func `reports a wrong path if nothing was found`() async throws {
        let accounts = try await Fixture().accountsKept()
        let result = try await Tool.inApp("bisect", accounts.path, "--stream=a", "--where", "balnce < 0")
        #expect(result.status == 1)
        #expect(result.error.contains("There is no 'balnce' in the state. Did you mean 'balance'?"))
        let far = try await Tool.inApp("bisect", accounts.path, "--stream=a", "--where", "balance < 0", "--to=9")
        #expect(far.status == 64)
        #expect(far.error.contains("The stream ends at step 8, before step 9."))
    }

    @Test func `writes one JSON object with the keys that its help lists`() async throws {
        let accounts = try await Fixture().accountsKept()
        let result = try await Tool.inApp(
            "bisect", "--json", accounts.path, "--stream=a", "--where", "balance < 0", "--from=2", "--to=6")
        #expect(try keys(ofFirstLine: result.output) == Command.bisect.keys.map(\.name))
        let object = try #require(try objects(result.output).first)
        #expect(object["step"] as? Int == 5)
        #expect(object["scanned"] as? Bool == false)
        #expect((object["action"] as? [String: Any])?.keys.first == "add")
        let none = try await Tool.inApp("bisect", "--json", accounts.path, "--stream=a", "--where", "balance > 99")
        #expect(none.status == 1)
        #expect(try #require(try objects(none.output).first)["step"] is Int == false)
    }

    @Test(arguments: [
        ([], "A condition is missing, such as --where 'balance < 0'."),
        (["--where", "balance 0"], "'balance 0' is not a condition: it has no ==, !=, <, <=, >, >= or contains."),
        (["--where", "< 0"], "'< 0' is not a condition: a path is missing."),
        (["--where", "balance <"], "'balance <' is not a condition: a value is missing."),
        (
            ["--where", "a..b == 1"],
            "'a..b == 1' is not a condition: 'a..b' is not a path: a name or a number is missing."
        ),
        (["--where", "balance", "--from=7", "--to=2"], "There are no steps from 7 to 2."),
    ])
    func `reports wrong arguments`(line: [String], message: String) async throws {
        let accounts = try await Fixture().accountsKept()
        let result = try await Tool.run(program: Tool.app, ["bisect", accounts.path, "--stream=a"] + line)
        #expect(result.status == 64)
        #expect(result.error.hasPrefix("Error: \(message)"), "\(result.error)")
    }
}
