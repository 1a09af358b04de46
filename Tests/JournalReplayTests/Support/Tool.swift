import Foundation
import JournalStore
import TortureKit

@testable import JournalReplayKit

/// The real program, run as people run it.
struct Tool: Sendable {
    struct Result: Hashable, Sendable {
        /// Negative if a signal ended the program.
        var status: Int32
        var output: String
        var error: String

        var lines: [String] { output.split(separator: "\n").map(String.init) }
    }

    /// What `verify` prints after its verdict if no machine is known.
    static let notReplayed =
        "The steps were not replayed, because no machine is known. To compare the states too, use the app's own tool, or --machine LIBRARY."

    static let path = Child.program("journal-replay")
    /// The tool inside an app, with the app's machines.
    static let app = Child.program("replay-app")

    static func inApp(_ arguments: String..., environment: [String: String] = [:]) async throws -> Result {
        try await run(program: app, arguments, environment: environment)
    }

    static func run(_ arguments: String..., environment: [String: String] = [:]) async throws -> Result {
        try await run(program: path, arguments, environment: environment)
    }

    /// Runs a command in this process, with these machines.
    static func here(_ machines: [ReplayMachine], _ arguments: [String]) async -> Result {
        let written = Lock<[Int32: [UInt8]]>([:])
        let run = Run(table: .tool, machines: machines) { bytes, descriptor in
            written.withLock { $0[descriptor, default: []] += Array(bytes) }
            return 0
        }
        let status = await run.run(arguments).rawValue
        func text(_ descriptor: Int32) -> String {
            String(decoding: written.withLock { $0[descriptor] ?? [] }, as: UTF8.self)
        }
        return Result(status: status, output: text(System.standardOutput), error: text(System.standardError))
    }

    /// Runs a line in the shell; `$0` is the tool, and `$1`, `$2` … are the arguments.
    static func shell(_ line: String, _ arguments: String...) async throws -> Result {
        try await run(program: "/bin/sh", ["-c", line, path] + arguments)
    }

    static func run(
        program: String, _ arguments: [String], environment: [String: String] = [:]
    ) async throws -> Result {
        let outcome = try await Child.run(program, arguments, environment: environment)
        return Result(status: outcome.status, output: outcome.output, error: outcome.errors)
    }

    /// Starts the program, so that its lines can be read as they arrive.
    static func start(_ arguments: String...) throws -> Child {
        try Child(path, arguments)
    }
}

extension Child {
    /// Sends the signal of Control-C, and waits for the end.
    func interrupt() -> Int32 {
        signal(SIGINT)
        return wait()
    }
}
