import JournalReplayKit
import LedgerMachine

/// The entry point for `journal-replay --machine libLedgerPlugin.so`.
#if compiler(>=6.3)
    @c(journal_replay_machines)
#else
    @_cdecl("journal_replay_machines")
#endif
public func journalReplayMachines() -> UnsafeRawPointer { ReplayPlugin.table([ReplayMachine(ledger)]) }
