import Foundation
import JournalStore
import Testing

@testable import JournalReplayKit

/// Steps that the machine cannot decode, or that crash it.
@Suite struct `a step that cannot be reduced` {
    private let reason =
        "stream 'a', step 2: The action 'refund' of version 1 cannot be decoded: not a Posting. "
        + "If the type has changed, raise the machine's version and add an upcaster from version 1. [not-decodable]"

    @Test func `show prints what is stored of a step that cannot be decoded, and why its changes are not known`()
        async throws
    {
        let fixture = try Fixture()
        let path = try await fixture.unknownAction()
        let result = try await Tool.inApp("show", path, "2", "--stream=a")
        #expect(result.status == 65)
        #expect(result.output.contains("Action\n  {\n    \"refund\": {\"_0\": 2}\n  }\n"))
        #expect(result.output.hasSuffix("Changes\n  not known: \(path), \(reason)\n"), "\(result.output)")
        let json = try #require(
            try objects(try await Tool.inApp("show", "--json", path, "2", "--stream=a").output).first)
        #expect(json["name"] as? String == "refund")
        #expect(json["error"] as? String == "\(path), \(reason)")
        #expect(json["changes"] is NSNull)
    }

    @Test(arguments: [["state"], ["diff", "0"], ["verify"]])
    func `a command that needs the state names the step and the action, and exits with 65`(_ command: [String])
        async throws
    {
        let fixture = try Fixture()
        let path = try await fixture.unknownAction()
        let line = [command[0], path, "--stream=a"] + command.dropFirst() + (command[0] == "diff" ? ["3"] : [])
        let result = try await Tool.run(program: Tool.app, line)
        #expect(result.status == 65)
        #expect((result.output + result.error).contains(reason), "\(result)")
    }

    @Test func `page warns that the states end`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.unknownAction()
        let result = try await Tool.inApp("page", path, "-o", fixture.path("page.html"))
        #expect(result.status == 0)
        #expect(
            result.error.hasPrefix(
                "Warning: stream 'a': The states end after step 1: The action 'refund' of version 1 cannot be decoded: "
            ),
            "\(result.error)")
        #expect(result.output.contains(", 2 states, "))
    }

    @Test(arguments: [["show", "2"], ["state"], ["diff", "1", "3"]])
    func `a reducer that ends the process does not make a command succeed`(_ command: [String]) async throws {
        let fixture = try Fixture()
        let journal = try fixture.open()
        let stream = try await journal.openStream("a", machine: "noisy")
        for number in [1, -2, 3] { try await stream.append("\(number)") }
        try await journal.close()
        let line = [command[0], fixture.path("shop.db")] + command.dropFirst() + ["--json"]
        let result = try await Tool.run(program: Tool.app, line)
        #expect(result.status == 1, "\(result)")
        #expect(
            result.error.hasSuffix(
                "\nError: Code of a machine, its library or this app has called exit() before the command was finished.\n"
            ))
        #expect(result.error.contains("adding -2"))
    }

    @Test(arguments: [["show", "2"], ["state"], ["diff", "1", "3"], ["bisect", "--where", ". > 7"]])
    func `a reducer that crashes the tool leaves the stream and the step in the message`(_ command: [String])
        async throws
    {
        let fixture = try Fixture()
        let path = try await fixture.fragile()
        let line = [command[0], path, "--stream=b"] + command.dropFirst()
        let result = try await Tool.run(program: Tool.app, line, environment: ["SWIFT_BACKTRACE": "enable=no"])
        #expect(result.status < 0, "ended by a signal")
        // What is recorded of the step is shown first.
        #expect(command[0] == "show" ? result.output.contains("Action\n  -1\n") : result.output == "")
        let report =
            "\(path), stream 'b', step 2: The reducer crashes at this step. `log` shows its action; `verify` says "
            + "what can be done.\n"
        #expect(result.error.hasSuffix("\n" + report), "\(result.error)")
    }
}
