import Foundation
import Testing
import TortureKit

@testable import JournalReplayKit

/// A real terminal with a shell, run by tmux in the background. It is closed with the last reference.
final class Tmux: Sendable {
    private let socket: String

    /// A debug build on a busy machine is slow.
    private static let limit = Duration.seconds(600)

    /// Independent of any other tmux, and with UTF-8.
    private static let environment = ["TMUX": "", "LC_ALL": "C.UTF-8"]

    /// Starts a shell that prints nothing but the prompt `$ `.
    init(columns: Int = 80, rows: Int = 24, environment: [String: String] = [:]) async throws {
        // Not in the folder for temporary files: the path of a socket has at most about a hundred bytes.
        socket = "/tmp/replay-\(UUID().uuidString.prefix(8)).tmux"
        // The bash of macOS recommends zsh at its start, unless it is told not to.
        var variables = [
            "PS1": "$ ", "TOOL": Tool.path, "NO_COLOR": "", "SWIFT_BACKTRACE": "enable=no",
            "BASH_SILENCE_DEPRECATION_WARNING": "1",
        ]
        variables.merge(environment) { $1 }
        let words = variables.map { "\($0)=\($1)" }
        let start =
            ["-u", "-f", "/dev/null", "new-session", "-d", "-x", "\(columns)", "-y", "\(rows)", "env"] + words
            + ["/bin/bash", "--norc", "--noprofile", "--noediting"]
        let result = try await Tool.run(
            program: "/usr/bin/env", ["tmux", "-S", socket] + start, environment: Self.environment)
        guard result.status == 0 else { throw Fixture.Failure(message: "tmux does not start: \(result.error)") }
        try await wait(for: "$")
    }

    deinit {
        _ = try? Child("/usr/bin/env", ["tmux", "-S", socket, "kill-server"], keepsErrors: true).wait()
        try? FileManager.default.removeItem(atPath: socket)
    }

    @discardableResult
    private func tmux(_ arguments: [String]) async throws -> String {
        let result = try await Tool.run(
            program: "/usr/bin/env", ["tmux", "-S", socket] + arguments, environment: Self.environment)
        guard result.status == 0 else { throw Fixture.Failure(message: "tmux \(arguments): \(result.error)") }
        return result.output
    }

    /// Presses keys, named as in tmux: `Home`, `C-c`, `j`.
    func press(_ keys: String...) async throws {
        try await tmux(["send-keys"] + keys)
    }

    /// Enters a line in the shell.
    func enter(_ line: String) async throws {
        try await tmux(["send-keys", "-l", line])
        try await press("Enter")
    }

    func resize(columns: Int, rows: Int) async throws {
        try await tmux(["resize-window", "-x", "\(columns)", "-y", "\(rows)"])
    }

    /// A property of the terminal, named as in tmux: `cursor_flag`, `alternate_on`.
    func property(_ name: String) async throws -> String {
        try await tmux(["display-message", "-p", "#{\(name)}"]).trimmingCharacters(in: .newlines)
    }

    /// The screen, without trailing spaces and without empty lines at the end. Digests differ from journal to journal,
    /// so they are replaced.
    func screen(withColours: Bool = false) async throws -> String {
        let output = try await tmux(["capture-pane", "-p"] + (withColours ? ["-e"] : []))
        var lines = output.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            String(line.reversed().drop { $0 == " " }.reversed())
        }
        while lines.last == "" { lines.removeLast() }
        return lines.joined(separator: "\n").replacing(/[0-9a-f]{32}/, with: "DIGEST")
    }

    /// Waits until the shell has the terminal again.
    func waitForShell() async throws {
        let deadline = ContinuousClock.now.advanced(by: Self.limit)
        while try await property("pane_current_command") != "bash" {
            guard ContinuousClock.now < deadline else {
                throw Fixture.Failure(message: "The program did not end: \(try await screen())")
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Waits until the whole screen equals a text.
    func wait(for expected: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await wait("is\n\(expected)", sourceLocation) { $0 == expected }
    }

    /// Waits until the screen contains a text.
    func wait(toShow text: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await wait("shows '\(text)'", sourceLocation) { $0.contains(text) }
    }

    private func wait(
        _ what: String, _ sourceLocation: SourceLocation, until isReached: (String) -> Bool
    ) async throws {
        let deadline = ContinuousClock.now.advanced(by: Self.limit)
        while true {
            let screen = try await screen()
            if isReached(screen) { return }
            guard ContinuousClock.now < deadline else {
                Issue.record("After \(Self.limit) the screen\n\(screen)\nnever \(what)", sourceLocation: sourceLocation)
                throw Fixture.Failure(message: "The expected screen did not appear.")
            }
            // tmux does not report changes, so poll. Each poll starts a process, so leave the program some time.
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}
