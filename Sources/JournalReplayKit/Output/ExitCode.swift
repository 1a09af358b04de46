import JournalStore

/// The exit codes of the program, so that a script can branch on them. Most numbers are those of sysexits(3).
enum ExitCode: Int32, CaseIterable, Sendable {
    case fine = 0
    case failed = 1
    case diverged = 3
    case usage = 64
    case damaged = 65
    case missing = 66
    case inputOutput = 74
    /// The status that a shell reports for a process that SIGPIPE ended.
    case closedPipe = 141

    /// The meaning shown in the help; nil if the code is not part of the interface.
    var meaning: String? {
        switch self {
        case .fine: "success"
        case .failed: "the command failed"
        case .diverged: "a replay differs from the journal"
        case .usage: "the command line is wrong"
        case .damaged: "the file is damaged, is not a journal, or has something that this version cannot read"
        case .missing: "the file, stream, step, effect, snapshot or part of a state is missing, or cannot be opened"
        case .inputOutput: "reading or writing failed"
        case .closedPipe: nil
        }
    }

    init(_ error: JournalError) {
        switch error.code {
        case .badArgument: self = .usage
        case .cannotOpen, .tooManyFiles, .unknownStream, .noSuchStep, .noUsableSnapshot: self = .missing
        case .notADatabase, .notAJournal, .newerSchema, .schemaMismatch, .corrupt, .acknowledgedEntriesLost,
            .copyNotVerified, .notAnExport, .damagedExport, .notDecodable, .noUpcaster, .newerMachine:
            self = .damaged
        case .inputOutput, .outcomeUnknown, .diskFull: self = .inputOutput
        default: self = .failed
        }
    }
}
