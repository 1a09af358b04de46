import Foundation
import TortureKit

/// The real program, run as people run it.
struct Tool: Sendable {
    struct Result: Hashable, Sendable {
        /// Negative where a signal ended it.
        var status: Int32
        var output: String
        var error: String

        var lines: [String] { output.split(separator: "\n").map(String.init) }
    }

    static let path = Child.program("journal-replay")
    /// The same inside an app, with its machines.
    static let app = Child.program("replay-app")

    static func inApp(_ arguments: String..., environment: [String: String] = [:]) async throws -> Result {
        try await run(program: app, arguments, environment: environment)
    }

    static func run(_ arguments: String..., environment: [String: String] = [:]) async throws -> Result {
        try await run(program: path, arguments, environment: environment)
    }

    /// A line for the shell, in which `$0` is the tool and `$1`, `$2` … the arguments.
    static func shell(_ line: String, _ arguments: String...) async throws -> Result {
        try await run(program: "/bin/sh", ["-c", line, path] + arguments)
    }

    static func run(
        program: String, _ arguments: [String], environment: [String: String] = [:]
    ) async throws -> Result {
        let outcome = try await Child.run(program, arguments, environment: environment)
        return Result(status: outcome.status, output: outcome.output, error: outcome.errors)
    }

    /// The program while it runs: its lines as they come.
    static func start(_ arguments: String...) throws -> Child {
        try Child(path, arguments)
    }
}

extension Child {
    /// What Control-C does.
    func interrupt() -> Int32 {
        signal(SIGINT)
        return wait()
    }
}
