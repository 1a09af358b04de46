import Foundation

/// A page of the documentation, as a list of what its reader does: writes files, changes them, and enters commands.
///
/// A code block belongs to a file if the line before it begins with the file's path in backticks and ends with a colon.
/// A block of the language `diff` changes that file; any other block is its text. In a block of the language `console`,
/// a line that begins with `$ ` is a command, and the lines up to the next command are its output.
struct Document: Sendable {
    enum Part: Hashable, Sendable {
        case file(path: String, text: String)
        case change(path: String, lines: [String])
        case command(Command)
    }

    struct Command: Hashable, Sendable {
        var line: String
        var output: [String] = []
        /// Where it is in the document.
        var number: Int
    }

    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The documents for users and contributors.
    static let names: [String] = {
        let pages = FileManager.default.enumerator(atPath: root.path + "/docs")?.compactMap { $0 as? String } ?? []
        return ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "Examples/README.md", "Benchmarks/README.md"]
            + pages.filter { $0.hasSuffix(".md") }.map { "docs/" + $0 }.sorted()
    }()

    let name: String
    let text: String

    init(_ name: String) throws {
        self.init(name: name, text: try String(contentsOf: Self.root.appendingPathComponent(name), encoding: .utf8))
    }

    init(name: String, text: String) {
        (self.name, self.text) = (name, text)
    }

    struct Block {
        var language: String
        var lines: [String] = []
        /// The text line before it.
        var title: String
        var number: Int
    }

    /// The blocks between fences, and those that are indented by four spaces, which have no language.
    var blocks: [Block] {
        var blocks: [Block] = []
        var title = ""
        var isInside = false
        for (index, line) in text.components(separatedBy: "\n").enumerated() {
            if line.hasPrefix("```") {
                isInside.toggle()
                let language = String(line.dropFirst(3))
                if isInside { blocks.append(Block(language: language, title: title, number: index + 2)) }
            } else if isInside {
                blocks[blocks.count - 1].lines.append(line)
            } else if line.hasPrefix("    ") {
                blocks.append(Block(language: "", lines: [String(line.dropFirst(4))], title: title, number: index + 1))
            } else if !line.isEmpty {
                title = line
            }
        }
        return blocks
    }

    var parts: [Part] {
        blocks.flatMap { block -> [Part] in
            if block.language == "console" { return commands(of: block).map { .command($0) } }
            guard !block.language.isEmpty, let match = block.title.wholeMatch(of: #/`([^`]+)`.*:/#) else { return [] }
            let path = String(match.1)
            if block.language == "diff" { return [.change(path: path, lines: block.lines)] }
            return [.file(path: path, text: block.lines.joined(separator: "\n") + "\n")]
        }
    }

    var commands: [Command] {
        parts.compactMap { part in if case .command(let command) = part { command } else { nil } }
    }

    private func commands(of block: Block) -> [Command] {
        var commands: [Command] = []
        for (offset, line) in block.lines.enumerated() {
            if line.hasPrefix("$ ") {
                commands.append(Command(line: String(line.dropFirst(2)), number: block.number + offset))
            } else if let last = commands.indices.last {
                if commands[last].line.hasSuffix("\\"), commands[last].output.isEmpty {
                    commands[last].line += "\n" + line
                } else {
                    commands[last].output.append(line)
                }
            }
        }
        return commands
    }

    /// The text of a file after a change: the removed lines with their context must be in it exactly once.
    static func changing(_ text: String, by lines: [String]) -> String? {
        func side(without sign: Character) -> String {
            lines.filter { $0.first != sign }.map { $0.dropFirst() + "\n" }.joined()
        }
        let pieces = text.components(separatedBy: side(without: "+"))
        return pieces.count == 2 ? pieces.joined(separator: side(without: "-")) : nil
    }
}
