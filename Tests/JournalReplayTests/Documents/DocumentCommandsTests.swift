import Foundation
import JournalStore
import Testing

@testable import JournalReplayKit

/// The commands in the documents, entered as a reader would. CONTRIBUTING.md has the rules by which outputs are
/// compared.
@Suite struct `Commands in the documents` {
    /// Commands that run until a person ends them. They are only parsed.
    private static let interactive = [
        "walk": "shows a full screen until q is pressed",
        "top": "refreshes until Control-C",
        "serve": "serves until Control-C, and needs a build with the trait Serve",
        "--follow": "waits for new entries until Control-C",
    ]

    private static let aboutOrders = [
        "docs/operating.md", "docs/file-format.md", "docs/durability.md", "docs/replay.md", "docs/page.md",
    ]
    private static let others = [
        "README.md", "docs/getting-started.md", "docs/changing-machines.md", "docs/effects-and-restarts.md",
    ]

    private static func isInteractive(_ line: String) -> Bool {
        line.split(separator: " ").contains { interactive[String($0)] != nil }
    }

    private func follow(_ name: String, _ reader: DocumentReader) async throws {
        let document = try Document(name)
        #expect(!document.commands.isEmpty)
        for problem in try await reader.follow(document, exempt: Self.isInteractive) {
            Issue.record(Comment(rawValue: problem))
        }
    }

    @Test func `of the README run as written, on the journal of its program`() async throws {
        let reader = try await DocumentReader()
        let blocks = try Document("README.md").blocks.filter { $0.language == "swift" }.map(\.lines)
        try #require(blocks.count == 2 && blocks[1].count == 2)
        let manifest = """
            // swift-tools-version: 6.2
            import PackageDescription
            let package = Package(
                name: "cart", platforms: [.macOS(.v15)], dependencies: [\(blocks[1][0])],
                targets: [.executableTarget(name: "cart", dependencies: [\(blocks[1][1])])])
            """
        try reader.write(manifest, to: "Package.swift")
        try reader.write(blocks[0].joined(separator: "\n"), to: "Sources/cart/main.swift")
        let output = try await reader.enter("swift run cart")
        // SwiftPM itself prints before the program does.
        #expect(output.hasSuffix("receipt for 1 items\n"), "\(output)")
        try await follow("README.md", reader)
    }

    @Test func `of the tutorial run as written, in an empty folder`() async throws {
        let reader = try await DocumentReader()
        try await follow("docs/getting-started.md", reader)
        // It goes on with the package of the tutorial.
        try await follow("docs/changing-machines.md", reader)
    }

    /// Each begins with the orders of a shop, in a new folder, and with a tool that knows their machine.
    @Test(arguments: aboutOrders) func `of a page about the orders of a shop run as written`(name: String) async throws
    {
        let reader = try await DocumentReader(program: Tool.app)
        #expect(try await reader.enter("replay-app orders shop.db") == "")
        try await follow(name, reader)
    }

    @Test func `about a step that crashes the reducer run as written`() async throws {
        let reader = try await DocumentReader()
        let journal = try reader.fixture.open()
        let stream = try await journal.openStream("order-1", machine: "order")
        try await stream.append(contentsOf: Array(repeating: #"{"pay":{}}"#, count: 17))
        try await journal.close()
        try await follow("docs/effects-and-restarts.md", reader)
    }

    @Test func `are entered of every document that has some`() throws {
        let names = try Document.names.filter { try !Document($0).commands.isEmpty }
        #expect(names.sorted() == (Self.aboutOrders + Self.others).sorted())
    }

    @Test func `that fail, print something else or do not exist are reported`() async throws {
        let text = """
            ```console
            $ journal-replay log shop.db --last 1
            STEP  TIME                         STREAM    ORIGIN      OUTCOME                      ACTION
               1  2020-01-01T00:00:00.000000Z  order-19  dispatched  rejected: nothing is placed  {"pay":{}}
            $ journal-replay log shop.db order-16 --last 1
            STEP  TIME  ORIGIN  OUTCOME  ACTION
            …
               5  2020-01-01T00:00:00.000000Z  effect 3.0  {"shipped":{"parcel":"P-3"}}
            $ journal-replay lgo shop.db
            $ journal-replay state shop.db order-17 99
            $ journal-replay lgo shop.db
            $ echo $?
            64
            ```
            """
        let reader = try await DocumentReader(program: Tool.app)
        #expect(try await reader.enter("replay-app orders shop.db") == "")
        let problems = try await reader.follow(Document(name: "page.md", text: text))
        #expect(
            problems.compactMap { $0.split(separator: "\n").first } == [
                "page.md:5: $ journal-replay log shop.db order-16 --last 1",
                "page.md:9: $ journal-replay lgo shop.db",
                "page.md:10: $ journal-replay state shop.db order-17 99",
            ])
        #expect(problems.allSatisfy { $0.contains("exit status") || $0.contains("and the document shows") })
    }
}

/// What documents say in passing is checked as well: that it exists.
@Suite struct `Documents name` {
    /// Why a document has a command that the tool does not accept; nil if it does.
    private func problem(_ words: [String]) -> String? {
        do {
            _ = try Parser.parse(words, .tool)
            return nil
        } catch { return "\(error)" }
    }

    @Test(arguments: Document.names) func `commands and options that the tool has`(name: String) throws {
        let document = try Document(name)
        for block in document.blocks where ["console", "", "yaml", "sh"].contains(block.language) {
            for line in block.lines {
                let words = CommandWords(line.hasPrefix("$ ") ? String(line.dropFirst(2)) : line).ofTheTool
                if let words, let problem = problem(words) { Issue.record("\(name): \(line)\n\(problem)") }
            }
        }
        for match in document.text.matches(of: #/`journal-replay ([a-z]+)/#) {
            #expect(CommandTable.tool.command(String(match.1)) != nil, "\(name): \(match.0)`")
        }
    }

    @Test(arguments: Document.names) func `targets of the Makefile that exist`(name: String) throws {
        let makefile = try Document("Makefile").text
        let document = try Document(name)
        for match in document.text.matches(of: #/(?:`|\$ |    )make ([a-z-]+)/#) {
            #expect(makefile.contains("\n\(match.1):"), "\(name): \(match.0)`")
        }
    }

    @Test func `no command or option that does not exist`() {
        #expect(problem(CommandWords("swift run journal-replay lgo shop.db | head").ofTheTool ?? []) != nil)
        #expect(problem(CommandWords("shop journal log shop.db --lats 3").ofTheTool ?? []) != nil)
        let line = "POWER=cut journal-replay streams shop.db --where 'a == \"b c\"' # x"
        #expect(problem(CommandWords(line).ofTheTool ?? []) == nil)
    }
}
