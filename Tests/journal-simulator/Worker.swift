import CSimulator
import Foundation
import JournalStore
import TortureKit

/// Runs lives in this process, one after another. A worker writes its results as lines for ``Workers``.
struct Worker {
    /// Each of so many seeds runs twice, to compare the traces.
    private static let sample: UInt64 = 50

    private let options: Options
    private let folder: TemporaryFolder

    init(_ options: Options) throws {
        self.options = options
        Jobs.takeAll()
        guard simulator_take_sqlite() else { fatalError("SQLite has no VFS") }
        // In memory where there is such a file system: a simulated disk need not survive anything.
        folder = try TemporaryFolder(in: FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : nil)
    }

    /// Runs the seeds of this worker.
    func run(_ part: UInt64) throws {
        var coverage = Coverage()
        for seed in stride(from: options.first + part, to: options.first + options.seeds, by: Int(options.workers)) {
            print("begin\t\(seed)")
            // Known at once, even if this life ends the process.
            fflush(nil)
            let life = try live(Choices(seed: seed), seed)
            for (event, count) in life.counts { coverage.add(event, count) }
            if let finding = life.findings.first {
                print("finding\t\(seed)\t\(finding)")
                fflush(nil)
                try shrink(life, seed, finding)
            } else if seed % Worker.sample == 0 {
                let again = try live(Choices(seed: seed), seed)
                if again.trace != life.trace { print("finding\t\(seed)\ttwo runs of this seed differ") }
                coverage.add("life that ran twice")
            }
            coverage.add("life")
            coverage.add("choice", life.choices.taken.count)
        }
        for (event, count) in coverage.counts { print("count\t\(event)\t\(count)") }
    }

    /// Runs this worker's part of so many operations, on one journal after the other.
    func run(_ part: UInt64, operations: UInt64) throws {
        var left = Int(operations / options.workers)
        var coverage = Coverage()
        var seed = options.first + part
        while left > 0 {
            print("begin\t\(seed)")
            let run = try operate(Choices(seed: seed), seed, left)
            left -= run.count
            coverage.add("operation", run.count)
            coverage.add("journal")
            if let finding = run.finding {
                print("finding\t\(seed)\t\(finding)")
                var shrinker = Shrinker(run.choices.taken, kind: kind(of: finding)) { choices in
                    try operate(Choices(choices), seed, left).finding.map { kind(of: $0) }
                }
                try shrinker.shrink()
                for line in try operate(Choices(shrinker.choices), seed, left, keepsLines: true).lines { print(line) }
            }
            seed += options.workers
        }
        for (event, count) in coverage.counts { print("count\t\(event)\t\(count)") }
    }

    private func operate(
        _ choices: Choices, _ seed: UInt64, _ limit: Int, keepsLines: Bool = false
    ) throws -> Operations {
        simulator_begin(seed, Life.start.microseconds)
        defer { simulator_end() }
        let operations = try Operations(choices, keepsLines: keepsLines)
        nonisolated(unsafe) var isDone = false
        Task.detached {
            await operations.run(limit)
            isDone = true
        }
        while !isDone, Jobs.shared.count > 0 { Jobs.shared.run(0) }
        precondition(isDone, "the operations wait for something that does not come")
        Jobs.shared.drop()
        return operations
    }

    /// Makes each n-th system call of a scripted life fail.
    ///
    /// - Returns: whether there is no finding.
    func sweep(by step: Int) throws -> Bool {
        var isClean = try sweepWithoutFault()
        for fault in Sweep.faults {
            var (count, refusals) = (0, [String: Int]())
            for nth in stride(from: UInt64(1), to: .max, by: step) {
                simulator_begin(nth, Life.start.microseconds)
                let root = folder.path("sweep-\(nth)")
                let sweep = Sweep(folder: root)
                let hasFailed = try sweep.run(fault, nth: nth, seed: nth)
                simulator_end()
                try? FileManager.default.removeItem(atPath: root)
                for problem in sweep.problems { print("\(fault.name) \(nth): \(problem)") }
                if let code = sweep.refusal { refusals["\(code)", default: 0] += 1 }
                isClean = isClean && sweep.problems.isEmpty
                // The next opening continues what a rename has interrupted.
                if fault.kind == CALLS_RENAME, let code = sweep.refusal {
                    print("\(fault.name) \(nth): refused afterwards: \(code)")
                    isClean = false
                }
                if !hasFailed { break }
                count += 1
            }
            print("\(fault.name): \(count) calls have failed, one in each life; refused afterwards: \(refusals)")
            fflush(nil)
            if count == 0 { isClean = false }
        }
        return isClean
    }

    /// The same life without a fault, with all kinds of copies.
    private func sweepWithoutFault() throws -> Bool {
        simulator_begin(0, Life.start.microseconds)
        defer { simulator_end() }
        let sweep = Sweep(folder: folder.path("sweep"))
        _ = try sweep.run(Sweep.faults[0], nth: 0, seed: 0)
        try? FileManager.default.removeItem(atPath: folder.path("sweep"))
        for problem in sweep.problems { print("without a fault: \(problem)") }
        print("without a fault: synced \(sweep.copies.joined(separator: ", "))")
        return sweep.problems.isEmpty && sweep.refusal == nil && !sweep.copies.isEmpty
    }

    /// Prints one life.
    ///
    /// - Returns: whether it has no finding.
    func trace(_ seed: UInt64) throws -> Bool {
        let kept = try options.choices.map { try String(contentsOfFile: $0, encoding: .utf8).split(separator: " ") }
        let choices = kept.map { Choices($0.compactMap { UInt32($0.filter(\.isNumber)) }) } ?? Choices(seed: seed)
        let life = try live(choices, seed, keepsLines: true)
        for line in life.lines { print(line) }
        print("trace \(String(life.trace, radix: 16)), \(life.choices.taken.count) choices")
        if let finding = life.findings.first { try shrink(life, seed, finding) }
        return life.findings.isEmpty
    }

    /// Leaves a life with a finding, and then a shortened one in its place.
    private func shrink(_ life: Life, _ seed: UInt64, _ finding: String) throws {
        guard let folder = options.keep else { return }
        let target = "\(folder)/seed-\(seed)"
        // Shortening takes minutes, and can be interrupted.
        try keep(life.choices.taken, seed, in: target)
        print("seed \(seed): its trace and its journal are in \(target), and are being shortened")
        fflush(nil)
        var shrinker = Shrinker(life.choices.taken, kind: kind(of: finding)) { choices in
            try live(Choices(choices), seed).findings.first.map { kind(of: $0) }
        }
        try shrinker.shrink()
        try keep(shrinker.choices, seed, in: target)
        print("seed \(seed): its shortened trace and its journal are in \(target)")
    }

    /// Runs a life once more and leaves its trace, its choices and its journal.
    private func keep(_ choices: [UInt32], _ seed: UInt64, in target: String) throws {
        try? FileManager.default.removeItem(atPath: target)
        try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
        let life = try live(Choices(choices), seed, keepsLines: true, journal: target)
        let text = life.lines.joined(separator: "\n") + "\n"
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(target)/trace.txt"))
        let taken = life.choices.taken.map(String.init).joined(separator: " ") + "\n"
        try Data(taken.utf8).write(to: URL(fileURLWithPath: "\(target)/choices.txt"))
    }

    /// - Parameter journal: a folder for the journal at the moment of the finding.
    private func live(
        _ choices: Choices, _ seed: UInt64, keepsLines: Bool = false, journal: String? = nil
    ) throws -> Life {
        let root = folder.path("\(seed)")
        let life = Life(choices, root: root, keepsLines: keepsLines, journal: journal)
        simulator_begin(seed, Life.start.microseconds)
        defer {
            simulator_end()
            try? FileManager.default.removeItem(atPath: root)
        }
        try life.run()
        return life
    }
}
