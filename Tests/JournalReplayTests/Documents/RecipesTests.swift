import Foundation
import Testing

/// The programs of `docs/recipes.md` do what their text says, also if they are killed: `Tests/Fixtures/Recipes` plays
/// them.
@Suite struct `Recipes` {
    private static let folder = Document.root.appendingPathComponent("Tests/Fixtures/Recipes")

    private static let manifest = """
        // swift-tools-version: 6.2
        import PackageDescription
        let package = Package(
            name: "recipes", platforms: [.macOS(.v15)], dependencies: [\(SwiftCommand.localDependency)],
            targets: [
                .executableTarget(
                    name: "recipes",
                    dependencies: [
                        .product(name: "JournalStore", package: "JournalStore"),
                        .product(name: "JournalTesting", package: "JournalStore"),
                    ])
            ])
        """

    /// The program of a recipe in a file of its own, whose names do not collide with those of other recipes.
    private static func program(of name: String) throws -> String {
        let recipes = try Document("docs/recipes.md").blocks.filter { block in
            block.language == "swift" && block.lines.contains { $0.contains("\"\(name)\", initialState") }
        }
        try #require(recipes.count == 1, "The recipe '\(name)' has \(recipes.count) programs.")
        return recipes[0].lines.map { line in
            ["struct ", "enum ", "func ", "let "].contains { line.hasPrefix($0) } ? "private " + line : line
        }.joined(separator: "\n")
    }

    @Test func `do what they say, without a kill and with a kill at each moment`() async throws {
        let reader = try await DocumentReader()
        try reader.write(Self.manifest, to: "Package.swift")
        var names: [String] = []
        for file in try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).sorted() {
            var text = try String(contentsOf: Self.folder.appendingPathComponent(file), encoding: .utf8)
            // What all of them share plays none.
            if file != "Playing.swift" {
                names.append(String(file.dropLast(".swift".count)))
                text = try "import JournalTesting\n" + Self.program(of: names[names.count - 1]) + "\n" + text
            }
            try reader.write(text, to: "Sources/recipes/\(file)")
        }
        try #require(!names.isEmpty)
        let calls = names.map { "await play(\"\($0)\", play\($0.capitalized))" }.joined(separator: "\n")
        try reader.write(calls, to: "Sources/recipes/main.swift")
        let output = try await reader.enter("swift run recipes")
        let lines = output.split(separator: "\n").map(String.init)
        // SwiftPM itself prints before the program does.
        #expect(lines.suffix(names.count) == names.map { "\($0): ok" }, "\(output)")
    }
}
