import Foundation

/// Measures the journal against plain SQLite: the README explains the rows.
@main
enum JournalBench {
    static func main() {
        let words = Array(CommandLine.arguments.dropFirst())
        // Not an `async` main, because valgrind fails with the way it waits.
        Task.detached { exit(await status(words)) }
        while true { pause() }
    }

    private static func status(_ words: [String]) async -> Int32 {
        // Some rows run this program as a child process.
        await ChildMode.runIfAsked(words)
        do {
            if try await Work.runIfAsked(words) { return 0 }
            guard let arguments = try Arguments(words) else {
                print(Arguments.help, terminator: "")
                return 0
            }
            return try await run(arguments)
        } catch let error as BenchError {
            complain("Error: \(error.message)")
            return error.status
        } catch {
            complain("Error: \(error)")
            return 1
        }
    }

    /// - Returns: the exit status: 1 if a target was missed.
    private static func run(_ arguments: Arguments) async throws -> Int32 {
        let rows = (arguments.isLong ? Row.long : Row.all).filter { arguments.wants($0) }
        guard !rows.isEmpty else { throw BenchError.usage("No row has '\(arguments.only ?? "")' in its name.") }
        let folder = try TemporaryFolder(in: arguments.directory)
        defer { folder.remove() }
        let interruption = Interruption { folder.remove() }
        defer { interruption.forget() }
        let bench = try Bench(folder: folder, rounds: arguments.rounds, isQuick: arguments.isQuick)

        var report = Report(
            Report.Setting(
                machine: .current(folder: folder.path), rounds: bench.rounds, runs: arguments.runs,
                isQuick: bench.isQuick,
                command: arguments.command))
        let otherWork = OtherWork()
        let start = ContinuousClock.now
        for run in 1...arguments.runs {
            for row in rows {
                progress(arguments.runs == 1 ? "\(row.name) …" : "run \(run): \(row.name) …")
                report.add(try await row.measure(bench), of: row)
            }
        }
        report.otherWork = otherWork?.share
        report.seconds = (ContinuousClock.now - start) / .seconds(1)
        progress("")
        print(arguments.printsJSON ? report.json : report.text, terminator: "")
        if let file = arguments.markdown { try report.markdown.write(toFile: file, atomically: true, encoding: .utf8) }
        return report.meetsTargets ? 0 : 1
    }

    /// Shows on a terminal what is being measured, each row on the same line.
    private static func progress(_ text: String) {
        guard isatty(STDERR_FILENO) == 1 else { return }
        FileHandle.standardError.write(Data("\r\u{1B}[K\(text)".utf8))
    }

    private static func complain(_ text: String) {
        FileHandle.standardError.write(Data("\(text)\n".utf8))
    }
}
