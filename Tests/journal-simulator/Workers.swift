import Foundation
import JournalStore
import TortureKit

/// Runs a worker process for each part of the seeds, and sums up.
struct Workers {
    private let options: Options

    init(_ options: Options) { self.options = options }

    /// - Returns: whether there is no finding.
    func run() throws -> Bool {
        let start = Date()
        let results = Lock(Results())
        DispatchQueue.concurrentPerform(iterations: Int(options.workers)) { part in
            for round in rounds {
                do {
                    try read(Child(CommandLine.arguments[0], round.arguments(part: UInt64(part))), results)
                } catch {
                    results.withLock { $0.problems.append("a worker did not start: \(error)") }
                }
            }
        }
        let (coverage, problems) = results.withLock { ($0.coverage, $0.problems) }
        let seconds = Date().timeIntervalSince(start)
        for (event, count) in coverage.counts.sorted(by: { $0.key < $1.key }) { print("  \(event): \(count)") }
        let lives = coverage.counts["life"] ?? 0
        for problem in problems { print(problem) }
        let (done, what) =
            options.operations == nil ? (lives, "lives") : (coverage.counts["operation"] ?? 0, "operations")
        print(
            "\(done) \(what) in \(Int(seconds)) s (\(Int(Double(done) / max(seconds, 0.001) * 60)) a minute), "
                + "\(problems.count) findings")
        // Fewer lives need not meet everything.
        let missing = lives >= 1_000 ? coverage.missing : []
        if !missing.isEmpty { print("never met: \(missing.joined(separator: ", "))") }
        return problems.isEmpty && missing.isEmpty
    }

    /// The seeds in pieces, each for new processes: a process that was killed in a life leaves its open files and its
    /// memory behind.
    private var rounds: [Options] {
        guard options.operations == nil else { return [options] }
        let size = 1_000 * options.workers
        return stride(from: 0, to: options.seeds, by: Int(size)).map { start in
            var round = options
            (round.first, round.seeds) = (options.first + start, min(size, options.seeds - start))
            return round
        }
    }

    private struct Results {
        var coverage = Coverage()
        var problems: [String] = []
    }

    private func read(_ worker: Child, _ results: borrowing Lock<Results>) {
        var seed = ""
        while let line = worker.line() {
            let words = line.split(separator: "\t", maxSplits: 2).map(String.init)
            switch (words.first, words.count) {
            case ("begin", 2): seed = words[1]
            case ("count", 3): results.withLock { $0.coverage.add(words[1], Int(words[2]) ?? 0) }
            case ("finding", 3):
                print("seed \(words[1]): \(words[2])")
                fflush(nil)
                results.withLock { $0.problems.append("seed \(words[1]): \(words[2])") }
            default: print(line)
            }
        }
        let status = worker.wait()
        if status != 0 {
            let problem = "seed \(seed): the process ended with \(status)"
            print(problem)
            fflush(nil)
            results.withLock { $0.problems.append(problem) }
        }
    }
}
