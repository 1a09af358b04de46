import Foundation
import Testing
import TortureKit

/// The code in the documents compiles unchanged.
@Suite struct `Documents` {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The blocks of the tutorial are files of one package, which `JournalReplayTests` builds and runs.
    private static let withCode =
        ["README.md", "Sources/JournalStore/JournalStore.docc/JournalStore.md"]
        + ((try? FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent("docs").path)) ?? [])
        .map { "docs/" + $0 }.filter { $0.hasSuffix(".md") && $0 != "docs/getting-started.md" }
        .filter { (try? blocks(of: $0))?.isEmpty == false }.sorted()

    /// The Swift code of a document, without lines that continue other code, as those of a Package.swift.
    private static func blocks(of document: String) throws -> [String] {
        try String(contentsOf: root.appendingPathComponent(document), encoding: .utf8)
            .components(separatedBy: "```swift\n").dropFirst()
            .compactMap { $0.components(separatedBy: "```").first }.filter { $0.first { !$0.isWhitespace } != "." }
    }

    /// Each block by itself; or, if the document has a file of what its text presupposes, all of them with that file.
    @Test(arguments: withCode)
    func `the code in a document compiles`(_ document: String) async throws {
        let blocks = try Self.blocks(of: document)
        #expect(!blocks.isEmpty)
        let name = URL(fileURLWithPath: document).deletingPathExtension().lastPathComponent
        let given = Self.root.appendingPathComponent("Tests/Fixtures/Documents/\(name).swift")
        let folder = try TemporaryFolder()
        if let text = try? String(contentsOf: given, encoding: .utf8) {
            let imports = text.components(separatedBy: "\n").filter { $0.hasPrefix("import ") }
            var files = [given.path]
            for (index, block) in blocks.enumerated() {
                files.append(folder.path("block \(index + 1).swift"))
                let code = (imports + [Self.declaration(of: block, index + 1)]).joined(separator: "\n")
                try code.write(toFile: files[index + 1], atomically: true, encoding: .utf8)
            }
            try await check(["-parse-as-library"] + files, "\(document) with \(given.lastPathComponent)")
        } else {
            for (index, block) in blocks.enumerated() {
                let file = folder.path("main.swift")
                let code = block.contains("import JournalStore") ? block : "import JournalStore\n" + block
                try code.write(toFile: file, atomically: true, encoding: .utf8)
                try await check([file], "block \(index + 1) of \(document)")
            }
        }
    }

    /// A function with the statements of a block; a block with tests as it is.
    private static func declaration(of block: String, _ number: Int) -> String {
        if block.contains("@Test") { return block }
        let lines = block.components(separatedBy: "\n").filter { !$0.hasPrefix("import ") }
        return "@MainActor func block\(number)() async throws {\n" + lines.joined(separator: "\n") + "\n}"
    }

    private func check(_ arguments: [String], _ comment: String) async throws {
        let modules = URL(fileURLWithPath: Child.program("journal-torture")).deletingLastPathComponent()
            .appendingPathComponent("Modules").path
        let includes = [
            "CSQLite", "CJournalLinux/include", "CJournalSHA256/include", "CJournalSchema/include",
            "CJournalReplay/include",
            "CJournalPage/include",
        ]
        .map { Self.root.appendingPathComponent("Sources/" + $0).path }
        let folders = ([modules] + includes).flatMap { ["-I", $0] }
        let compiler = try await Child.run(
            "/usr/bin/env", ["swiftc", "-typecheck", "-swift-version", "6"] + folders + arguments)
        #expect(compiler.status == 0, "\(comment):\n\(compiler.errors)")
    }

    @Test func `the recipe for undo begins with the file of the example, which is tested`() throws {
        let example = Self.root.appendingPathComponent("Examples/Todo/Sources/todo/Undoable.swift")
        let code = try String(contentsOf: example, encoding: .utf8)
        #expect(try Self.blocks(of: "docs/recipes.md").contains { $0.hasPrefix(code) })
    }

    @Test func `every link between the documents has a target`() throws {
        let files = FileManager.default.enumerator(atPath: Self.root.path)?.compactMap { $0 as? String } ?? []
        let documents = files.filter { $0.hasSuffix(".md") && !$0.hasPrefix(".build") && !$0.contains("/.build/") }
        #expect(documents.contains("README.md"))
        for document in documents {
            let url = Self.root.appendingPathComponent(document)
            let text = try String(contentsOf: url, encoding: .utf8)
            for part in text.components(separatedBy: "](").dropFirst() {
                guard let target = part.components(separatedBy: ")").first, !target.contains("://") else { continue }
                let parts = target.components(separatedBy: "#")
                let page = parts[0].isEmpty ? url : url.deletingLastPathComponent().appendingPathComponent(parts[0])
                #expect(FileManager.default.fileExists(atPath: page.path), "\(document) links to \(target)")
                if parts.count > 1 {
                    let linked = (try? String(contentsOf: page, encoding: .utf8)) ?? ""
                    #expect(Self.anchors(of: linked).contains(parts[1]), "\(document) links to \(target)")
                }
            }
        }
    }

    @Test func `a heading has the anchor that GitHub gives it`() {
        let page = """
            # Who's at `work`?

            ```console
            # not a heading
            ```

            ## A, B (and C)
            ### At once
            ## At once
            #hashtag
            """
        #expect(Self.anchors(of: page) == ["whos-at-work", "a-b-and-c", "at-once", "at-once-1"])
    }

    /// What a link names behind `#`, for each heading of a page: lower case, without punctuation, a hyphen for each
    /// space. An anchor that comes again gets a number.
    private static func anchors(of page: String) -> Set<String> {
        var anchors: Set<String> = []
        var counts: [String: Int] = [:]
        var isCode = false
        for line in page.components(separatedBy: "\n") {
            if line.hasPrefix("```") { isCode.toggle() }
            let title = line.drop { $0 == "#" }
            guard !isCode, line.hasPrefix("#"), title.hasPrefix(" ") else { continue }
            let kept = title.dropFirst().lowercased().filter { $0.isLetter || $0.isNumber || " -_".contains($0) }
            let anchor = kept.replacingOccurrences(of: " ", with: "-")
            let count = counts[anchor, default: 0]
            anchors.insert(count == 0 ? anchor : "\(anchor)-\(count)")
            counts[anchor] = count + 1
        }
        return anchors
    }
}
