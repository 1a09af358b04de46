import Foundation
import JournalStore
import Testing

@testable import JournalReplayKit

@Suite struct `A command that creates a file` {
    @Test func `does not take - for standard output, nor for the name of a file`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.counter(entries: 1)
        for line in [
            ["backup", path, "-"], ["fork", path, "-", "--at", "1"], ["page", path, "-o", "-"], ["import", path, "-"],
        ] {
            let result = try await Tool.run(program: Tool.path, line)
            #expect(result.status == 64)
            #expect(
                result.error.hasPrefix("Error: This command does not write to standard output: name a file;"),
                "\(result)")
        }
    }
}

@Suite struct `The output` {
    @Test(arguments: [
        #""$0" log "$1" | head -n 3"#, #""$0" log --json "$1" | head -n 3"#,
        #"trap '' PIPE; "$0" log "$1" | head -n 3"#,
    ])
    func `ends silently when the reader closes the pipe`(line: String) async throws {
        let fixture = try Fixture()
        let path = try await fixture.counter(entries: 20_000)
        let result = try await Tool.shell(line, path)
        #expect(result.status == 0)
        #expect(result.lines.count == 3)
        #expect(result.error == "")
    }

    @Test func `reports a closed pipe to the shell, as other tools do`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.counter(entries: 20_000)
        let result = try await Tool.shell(#"{ "$0" log "$1"; echo $? >&2; } | head -n 1"#, path)
        #expect(result.error == "141\n")
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func `exits with 74 if it cannot be written`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.counter(entries: 1)
        for command in ["log", "info", "help"] {
            let file = command == "help" ? "" : #""$1""#
            let result = try await Tool.shell(#""$0" \#(command) \#(file) > /dev/full"#, path)
            #expect(result.status == 74)
            #expect(result.error == "Error: The output cannot be written (No space left on device).\n")
        }
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func `that cannot be written leaves a complete file`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.counter(entries: 1)
        let copy = fixture.path("copy.db")
        let result = try await Tool.shell(#""$0" backup "$1" "$2" > /dev/full"#, path, copy)
        #expect(result.status == 74)
        #expect(try await Tool.run("verify", copy).status == 0)
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func `exits with 74 also if a warning follows what cannot be written`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        try fixture.execute(#"UPDATE snapshot SET state = '{"total":4}'"#, in: shop)
        for (number, option) in ["", "--json"].enumerated() {
            let copy = fixture.path("\(number).db")
            let result = try await Tool.shell(#""$0" backup "$1" "$2" \#(option) > /dev/full"#, shop, copy)
            #expect(result.status == 74)
            #expect(result.error.hasPrefix("Warning: 1 damaged snapshot was left out."), "\(result.error)")
            #expect(
                result.error.hasSuffix("Error: The output cannot be written (No space left on device).\n"),
                "\(result.error)")
        }
    }

    @Test func `exits with 74 if it was closed`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.counter(entries: 1)
        let result = try await Tool.shell(#""$0" log "$1" >&-"#, path)
        #expect(result.status == 74)
        #expect(result.error.hasPrefix("Error: The output cannot be written"))
    }

    @Test func `is written before the error that ends it`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.counter(entries: 5_000)
        try fixture.damage(pageWith: #"{"add":{"n":4900}}"#, in: path)
        let result = try await Tool.shell(#""$0" log "$1" 2>&1"#, path)
        #expect(result.status == 65)
        #expect(result.lines.count > 1_000)
        #expect(result.lines.last?.hasPrefix("Error: \(path)") == true)
    }

    @Test func `names the tool as people call it, also where the library's advice has its usual name`() async throws {
        let written = Lock("")
        let output = Output(tool: ToolName(text: "hotel journal"), color: .never) { bytes, _ in
            written.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
            return 0
        }
        let advice = "Run `journal-replay verify`; journal-replay finds it."
        try output.note(advice)
        output.warning(advice)
        output.error(advice)
        let own = "Run `hotel journal verify`; journal-replay finds it.\n"
        let text = written.withLock { $0 }
        #expect(text == "\(own)Warning: \(own)Error: \(own)")
        let accounts = try await Fixture().accountsKept()
        let result = try await Tool.inApp("log", accounts.path, "warehouse")
        #expect(result.error.contains("`replay-app streams` lists the existing ones."), "\(result.error)")
    }

    @Test func `has colours only if they are requested, and never in JSON`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.counter(entries: 1)
        let coloured = ["log", "--color", "always", path]
        #expect(try await Tool.run(program: Tool.path, coloured).output.contains("\u{1B}["))
        #expect(
            try await Tool.run(program: Tool.path, coloured, environment: ["NO_COLOR": "1"]).output.contains("\u{1B}["))
        #expect(try await !Tool.run(program: Tool.path, coloured + ["--json"]).output.contains("\u{1B}["))
        #expect(try await !Tool.run("log", path).output.contains("\u{1B}["))
    }
}
