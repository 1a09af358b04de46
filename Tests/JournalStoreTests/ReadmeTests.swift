import Foundation
import Testing
import TortureKit

/// The code in the documents compiles unchanged.
@Suite struct `Documents` {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    @Test(arguments: [
        "README.md", "Sources/JournalStore/JournalStore.docc/JournalStore.md", "docs/effects-and-restarts.md",
        "docs/replay.md", "docs/smallest-store.md",
    ])
    func `the code in a document compiles`(_ document: String) async throws {
        let text = try String(contentsOf: Self.root.appendingPathComponent(document), encoding: .utf8)
        let blocks = text.components(separatedBy: "```swift\n").dropFirst()
            .compactMap { $0.components(separatedBy: "```").first }
            // Lines of a Package.swift do not compile by themselves.
            .filter { !$0.hasPrefix(".") }
        #expect(!blocks.isEmpty)
        let folder = try TemporaryFolder()
        for (index, block) in blocks.enumerated() {
            let file = folder.path("main.swift")
            let code = block.contains("import JournalStore") ? block : "import JournalStore\n" + block
            try code.write(toFile: file, atomically: true, encoding: .utf8)
            let modules = URL(fileURLWithPath: Child.program("journal-torture")).deletingLastPathComponent()
                .appendingPathComponent("Modules").path
            let includes = ["Sources/CSQLite", "Sources/CSHA256/include", "Sources/CJournalReplay/include"]
                .map { Self.root.appendingPathComponent($0).path }
            let folders = ([modules] + includes).flatMap { ["-I", $0] }
            let compiler = try await Child.run(
                "/usr/bin/env", ["swiftc", "-typecheck", "-swift-version", "6"] + folders + [file])
            #expect(compiler.status == 0, "block \(index + 1) of \(document):\n\(compiler.errors)")
        }
    }

    @Test func `every link between the documents has a target`() throws {
        let files = FileManager.default.enumerator(atPath: Self.root.path)?.compactMap { $0 as? String } ?? []
        let documents = files.filter { $0.hasSuffix(".md") && !$0.hasPrefix(".build") && !$0.contains("/.build/") }
        #expect(documents.contains("README.md"))
        for document in documents {
            let url = Self.root.appendingPathComponent(document)
            let text = try String(contentsOf: url, encoding: .utf8)
            for part in text.components(separatedBy: "](").dropFirst() {
                guard let target = part.components(separatedBy: ")").first, !target.contains("://"),
                    !target.hasPrefix("#")
                else { continue }
                let path = url.deletingLastPathComponent().appendingPathComponent(target).path
                #expect(FileManager.default.fileExists(atPath: path), "\(document) links to \(target)")
            }
        }
    }
}
