import Foundation

/// One run of this program as a child process; its standard output is discarded.
struct ChildRun {
    /// The time that the child measured itself, or else the time from its start to its end.
    let seconds: Double
    let peakBytes: Int

    init(_ mode: ChildMode, _ words: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        process.arguments = [mode.rawValue] + words
        process.standardOutput = FileHandle.nullDevice
        let said = Pipe()
        process.standardError = said
        let start = ContinuousClock.now
        try process.run()
        let text = String(decoding: said.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let whole = (ContinuousClock.now - start).inSeconds
        process.waitUntilExit()
        // The last line is the child's own; processes that it starts print theirs before.
        let numbers = text.split(separator: "\n").last?.split(separator: " ").map { Double($0) } ?? []
        guard process.terminationStatus == 0, let peak = numbers.first.flatMap({ $0 }), peak > 0 else {
            throw BenchError(message: "`\(words.joined(separator: " "))` failed: \(text)")
        }
        peakBytes = Int(peak)
        seconds = numbers.dropFirst().first.flatMap { $0 } ?? whole
    }

    var duration: Duration { .seconds(seconds) }
}
