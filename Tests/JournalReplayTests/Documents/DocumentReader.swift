import Foundation
import TortureKit

/// Does what a document says, in a folder of its own: `journal-replay` is the built one, and `swift` builds with the
/// library that the tests use, unless `JOURNAL_BUILDS_DOCUMENTS` is set.
final class DocumentReader {
    let fixture: Fixture
    private let environment: [String: String]
    private var shape: OutputShape { OutputShape(folder: fixture.folder) }
    private var place: String
    private var status: Int32 = 0
    /// The digests and keys that the document shows, each with the one that was printed in its place.
    private var digests: [String: String] = [:]

    /// - Parameter program: what `journal-replay` is: the tool, or an app that has it with its machines.
    init(program: String = Tool.path) async throws {
        fixture = try Fixture()
        let folder = fixture.path(".bin")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: folder + "/journal-replay", withDestinationPath: program)
        try FileManager.default.createSymbolicLink(atPath: folder + "/replay-app", withDestinationPath: Tool.app)
        environment = ["PATH": folder + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")]
        place = fixture.folder
        let text = fixture.path(".bin/swift.text")
        try SwiftCommand.script.write(toFile: text, atomically: true, encoding: .utf8)
        // Another process writes the script: one that this process starts at the same time would inherit the open file,
        // and a file that is open for writing cannot be executed.
        _ = try await enter("cp .bin/swift.text .bin/swift && chmod +x .bin/swift")
    }

    /// Does everything that the document says.
    ///
    /// - Parameter exempt: Decides which commands are not entered.
    /// - Returns: What was not as the document says.
    func follow(_ document: Document, exempt: (String) -> Bool = { _ in false }) async throws -> [String] {
        var problems: [String] = []
        let parts = document.parts
        for (index, part) in parts.enumerated() {
            switch part {
            case .file(let path, let text): try write(text, to: path)
            case .change(let path, let lines):
                guard let text = Document.changing(try read(path), by: lines) else {
                    problems.append("\(document.name): a change of \(path) does not apply")
                    continue
                }
                try write(text, to: path)
            case .command(let command):
                guard !exempt(command.line) else { continue }
                let output = try await enter(withOwnDigests(command.line))
                let shown = command.output.joined(separator: "\n")
                let place = "\(document.name):\(command.number): $ \(command.line)\n"
                if status != 0, !isAskedForStatus(parts, after: index) {
                    problems.append(place + "ended with exit status \(status) and printed\n\(output)")
                }
                if !shape.matches(output, shown: command.output) {
                    problems.append(place + "printed\n\(output)\nand the document shows\n\(shown)")
                }
                note(shown: shown, printed: output)
            }
        }
        return problems
    }

    private func note(shown: String, printed: String) {
        let (shown, printed) = (shown.matches(of: #/[0-9a-f]{32}/#), printed.matches(of: #/[0-9a-f]{32}/#))
        guard shown.count == printed.count else { return }
        for (old, new) in zip(shown, printed) { digests[String(old.output)] = String(new.output) }
    }

    private func withOwnDigests(_ line: String) -> String {
        digests.reduce(line) { $0.replacing($1.key, with: $1.value) }
    }

    /// A document shows that a command fails by asking for its exit status.
    private func isAskedForStatus(_ parts: [Document.Part], after index: Int) -> Bool {
        guard index + 1 < parts.count, case .command(let next) = parts[index + 1] else { return false }
        return next.line == "echo $?"
    }

    /// Enters a line in the shell. The folder and the exit status of the line before it are kept.
    func enter(_ line: String) async throws -> String {
        let after = fixture.path(".bin/place")
        let script = """
            exec 2>&1
            cd "$1"
            (exit \(status))
            \(line)
            status=$?
            pwd >"$2"
            exit $status
            """
        let result = try await Tool.run(
            program: "/bin/bash", ["--noprofile", "--norc", "-c", script, "bash", place, after],
            environment: environment)
        status = result.status
        place = try String(contentsOfFile: after, encoding: .utf8).trimmingCharacters(in: .newlines)
        return result.output
    }

    private func read(_ path: String) throws -> String {
        try String(contentsOfFile: place + "/" + path, encoding: .utf8)
    }

    func write(_ text: String, to path: String) throws {
        let file = URL(fileURLWithPath: place).appendingPathComponent(path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try text.replacing(SwiftCommand.dependency, with: SwiftCommand.localDependency)
            .write(to: file, atomically: true, encoding: .utf8)
    }
}
