import CSimulator
import Foundation
import TortureKit

/// Runs lives of journals, each determined by a seed, and compares them with the model.
@main
struct Simulator {
    static let usage = """
        usage: journal-simulator [--seeds N] [--first N] [--workers N] [--keep FOLDER]
               journal-simulator --trace SEED [--choices FILE] [--keep FOLDER]
               journal-simulator --sweep N
               journal-simulator --operations N [--first SEED] [--workers N]

        Runs N lives (default 300), beginning with the seed --first (default 1), in --workers processes (default 2).
        A life with a finding is shortened, and its trace and journal are put into FOLDER. --trace prints one life,
        with the choices of a FILE that was kept if there is one.
        --sweep makes every Nth system call of a scripted life fail once, and then cuts the power.
        --operations runs N operations on journals in memory and compares their answers with a model.
        """

    static func main() {
        // The order of dictionaries must be the same in each process.
        if getenv("SWIFT_DETERMINISTIC_HASHING") == nil {
            setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1)
            execv("/proc/self/exe", CommandLine.unsafeArgv)
        }
        guard let options = Options(CommandLine.arguments.dropFirst()) else {
            FileHandle.standardError.write(Data((usage + "\n").utf8))
            exit(64)
        }
        do {
            if let seed = options.trace {
                exit(try Worker(options).trace(seed) ? 0 : 1)
            } else if let step = options.sweep {
                exit(try Worker(options).sweep(by: step) ? 0 : 1)
            } else if let part = options.part, let operations = options.operations {
                try Worker(options).run(part, operations: operations)
            } else if let part = options.part {
                try Worker(options).run(part)
            } else {
                exit(try Workers(options).run() ? 0 : 1)
            }
        } catch {
            FileHandle.standardError.write(Data("journal-simulator: \(error)\n".utf8))
            exit(1)
        }
    }
}

struct Options {
    var seeds: UInt64 = 300
    var first: UInt64 = 1
    var workers: UInt64 = 2
    var keep: String?
    var trace: UInt64?
    var choices: String?
    var operations: UInt64?
    var sweep: Int?
    /// This process is the worker with this number.
    var part: UInt64?

    /// Nil if they cannot be read.
    init?(_ words: some Sequence<String>) {
        var words = words.makeIterator()
        while let word = words.next() {
            guard let value = words.next() else { return nil }
            switch (word, UInt64(value)) {
            case ("--seeds", let number?): seeds = number
            case ("--first", let number?): first = number
            case ("--workers", let number?) where number > 0: workers = number
            case ("--trace", let number?): trace = number
            case ("--operations", let number?): operations = number
            case ("--part", let number?): part = number
            case ("--keep", _): keep = value
            case ("--choices", _): choices = value
            case ("--sweep", let number?) where number > 0: sweep = Int(number)
            default: return nil
            }
        }
    }

    func arguments(part: UInt64) -> [String] {
        ["--seeds", "\(seeds)", "--first", "\(first)", "--workers", "\(workers)", "--part", "\(part)"]
            + (keep.map { ["--keep", $0] } ?? []) + (operations.map { ["--operations", "\($0)"] } ?? [])
    }
}
