package import Foundation

/// A child process whose standard output is read as it comes.
package final class Child {
    package let process = Process()
    private let output = Pipe()
    private let input = Pipe()
    private var buffer = Data()

    package var identifier: Int32 { process.processIdentifier }

    package init(_ program: URL, _ arguments: [String], environment: [String: String] = [:]) throws {
        process.executableURL = program
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardOutput = output
        process.standardInput = input
        try process.run()
    }

    /// The executable of this name, built into the same folder as what runs now.
    package static func program(_ name: String) -> URL {
        var folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        while folder.path != "/" {
            let program = folder.appendingPathComponent(name)
            if FileManager.default.isExecutableFile(atPath: program.path) { return program }
            folder.deleteLastPathComponent()
        }
        return URL(fileURLWithPath: name)
    }

    /// Waits for the next whole line; nil when the child has closed its output.
    package func line() -> String? {
        while true {
            if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                defer { buffer = buffer[(end + 1)...] }
                return String(decoding: buffer[..<end], as: UTF8.self)
            }
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { return nil }
            buffer.append(more)
        }
    }

    /// All whole lines until the child has closed its output.
    package func remainingLines() -> [String] {
        var lines: [String] = []
        while let line = line() { lines.append(line) }
        return lines
    }

    package func kill() {
        _ = Foundation.kill(identifier, SIGKILL)
    }

    /// Closes the child's standard input.
    package func closeInput() {
        try? input.fileHandleForWriting.close()
    }

    package func wait() {
        process.waitUntilExit()
    }
}
