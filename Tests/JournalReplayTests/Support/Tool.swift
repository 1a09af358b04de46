import Foundation

/// The real program, run as people run it.
struct Tool: Sendable {
    struct Result: Hashable, Sendable {
        var status: Int32
        var wasSignalled = false
        var output: String
        var error: String

        var lines: [String] { output.split(separator: "\n").map(String.init) }
    }

    static let path = built("journal-replay")
    /// The same inside an app, with its machines.
    static let app = built("replay-app")

    /// What is built into the same folder as the tests.
    private static func built(_ name: String) -> String {
        let bundle = CommandLine.arguments.first { $0.contains(".xctest") } ?? CommandLine.arguments[0]
        var folder = URL(fileURLWithPath: bundle).deletingLastPathComponent()
        while folder.path != "/" {
            let program = folder.appendingPathComponent(name).path
            var isFolder: ObjCBool = false
            if FileManager.default.fileExists(atPath: program, isDirectory: &isFolder), !isFolder.boolValue {
                return program
            }
            folder.deleteLastPathComponent()
        }
        return name
    }

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
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let output = Pipe()
        let error = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = error
        try process.runAsFromShell()
        // Both at once: a full pipe that nobody reads would stop the program.
        async let written = text(of: output)
        async let said = text(of: error)
        let (outputText, errorText) = await (written, said)
        process.waitUntilExit()
        return Result(
            status: process.terminationStatus, wasSignalled: process.terminationReason == .uncaughtSignal,
            output: outputText, error: errorText)
    }

    @concurrent
    private static func text(of pipe: Pipe) async -> String {
        await withCheckedContinuation { continuation in
            let handle = pipe.fileHandleForReading
            // Waiting for a pipe is no work for the cooperative pool.
            Thread.detachNewThread {
                continuation.resume(returning: String(decoding: handle.readDataToEndOfFile(), as: UTF8.self))
            }
        }
    }
}

extension Process {
    /// The threads that tests run on hold signals back, and what they start would do so too: `kill` would have no effect.
    func runAsFromShell() throws {
        var none = sigset_t()
        var before = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        try run()
    }
}

/// The program while it runs: its lines as they come.
final class RunningTool {
    private let process = Process()
    private let output = Pipe()
    private var buffer = Data()

    init(_ arguments: String...) throws {
        process.executableURL = URL(fileURLWithPath: Tool.path)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        try process.run()
    }

    /// Waits for the next whole line; nil when the program has ended.
    func line() -> String? {
        while true {
            if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                defer { buffer = Data(buffer[(end + 1)...]) }
                return String(decoding: buffer[..<end], as: UTF8.self)
            }
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { return nil }
            buffer.append(more)
        }
    }

    /// What Control-C does.
    ///
    /// - Returns: the signal that ended it; 0 where it ended by itself.
    func interrupt() -> Int32 {
        process.interrupt()
        process.waitUntilExit()
        return process.terminationReason == .uncaughtSignal ? process.terminationStatus : 0
    }

    func wait() -> Int32 {
        process.waitUntilExit()
        return process.terminationStatus
    }

    deinit {
        if process.isRunning { process.terminate() }
    }
}
