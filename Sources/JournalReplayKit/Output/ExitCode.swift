import JournalStore

/// How the program ends. Most numbers are those of sysexits(3), so that a script can branch on them.
enum ExitCode: Int32, CaseIterable, Sendable {
    case fine = 0
    case failed = 1
    case diverged = 3
    case usage = 64
    case damaged = 65
    case missing = 66
    case inputOutput = 74
    /// As the shell reports a process that SIGPIPE ended.
    case closedPipe = 141

    /// What it says; nil for what is no part of the interface.
    var meaning: String? {
        switch self {
        case .fine: "all is well"
        case .failed: "it could not be done"
        case .diverged: "a replay came to something else than the journal holds"
        case .usage: "the command line makes no sense"
        case .damaged: "the journal is damaged, is none, or cannot be read by this version"
        case .missing: "there is no such file or stream, or it may not be read"
        case .inputOutput: "the disk, or the output, failed"
        case .closedPipe: nil
        }
    }

    init(_ error: JournalError) {
        switch error.code {
        case .badArgument: self = .usage
        case .cannotOpen, .unknownStream, .noSuchStep, .noUsableSnapshot: self = .missing
        case .notADatabase, .notAJournal, .newerSchema, .schemaMismatch, .corrupt, .acknowledgedEntriesLost,
            .copyNotVerified, .notAnExport, .damagedExport:
            self = .damaged
        case .inputOutput, .outcomeUnknown, .diskFull: self = .inputOutput
        default: self = .failed
        }
    }
}
