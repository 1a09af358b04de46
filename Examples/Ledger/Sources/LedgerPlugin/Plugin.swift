import JournalReplayKit
import LedgerMachine

/// The entry point for `journal-replay --machine libLedgerPlugin.so`.
@c(journal_replay_machines)
public func journalReplayMachines() -> UnsafeRawPointer { ReplayPlugin.table([ReplayMachine(ledger)]) }
