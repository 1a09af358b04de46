import Foundation
import Testing
import TortureKit

/// The programs of `docs/recipes.md` do what their text says, also if they are killed: `Tests/Fixtures/Recipes` plays
/// them.
@Suite struct `Recipes` {
    private static let folder = Documents.root.appendingPathComponent("Tests/Fixtures/Recipes")

    /// The names of the machines that are played: each has a file.
    private static let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
        .filter { $0.hasSuffix(".swift") && $0 != "Playing.swift" }.map { String($0.dropLast(6)) }.sorted()

    /// The program of a recipe in a file of its own, whose names do not collide with those of other recipes.
    private static func file(of name: String) throws -> String {
        let recipes = try Documents.blocks(of: "docs/recipes.md").filter { $0.contains("\"\(name)\", initialState") }
        try #require(recipes.count == 1, "The recipe '\(name)' has \(recipes.count) programs.")
        let lines = recipes[0].components(separatedBy: "\n").map { line in
            ["struct ", "enum ", "func ", "let "].contains { line.hasPrefix($0) } ? "private " + line : line
        }
        let play = try String(contentsOf: folder.appendingPathComponent("\(name).swift"), encoding: .utf8)
        return "import JournalTesting\n" + lines.joined(separator: "\n") + "\n" + play
    }

    /// The object files of these targets, without those of sources that were renamed or removed since.
    private static func objects(of targets: String...) -> [String] {
        targets.flatMap { target in
            func names(in folder: URL) -> [String] {
                FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
            }
            let sources = Set(names(in: Documents.root.appendingPathComponent("Sources/\(target)")).map(fileName))
            let folder = Documents.products.appendingPathComponent("\(target).build")
            return names(in: folder).filter { $0.hasSuffix(".o") && sources.contains(fileName(String($0.dropLast(2)))) }
                .map { folder.appendingPathComponent($0).path }
        }
    }

    private static func fileName(_ path: String) -> String {
        URL(fileURLWithPath: path).lastPathComponent
    }

    @Test func `do what they say, without a kill and with a kill at each moment`() async throws {
        let folder = try TemporaryFolder()
        let calls = Self.names.map { "await play(\"\($0)\", play\($0.capitalized))\n" }.joined()
        var sources = ["main": calls]
        for name in Self.names { sources[name] = try Self.file(of: name) }
        for (name, text) in sources {
            try text.write(toFile: folder.path("\(name).swift"), atomically: true, encoding: .utf8)
        }
        let program = folder.path("recipes")
        let files =
            sources.keys.map { folder.path("\($0).swift") }
            + [Self.folder.appendingPathComponent("Playing.swift").path]
        try await Documents.compile(
            ["-module-name", "recipes", "-o", program] + files
                + Self.objects(of: "JournalStore", "JournalTesting", "CSHA256", "CSchema"), "the recipes")
        let outcome = try await Child.run(program, [])
        #expect(!Self.names.isEmpty)
        #expect(outcome.output == Self.names.map { "\($0): ok\n" }.joined(), "\(outcome.errors)")
        #expect(outcome.status == 0)
    }
}
