import JournalReplayKit
import LedgerMachine

/// For `journal-replay --machine libLedgerPlugin.so`.
@c(journal_replay_machines)
public func journalReplayMachines() -> UnsafeRawPointer { ReplayPlugin.table([ReplayMachine(ledger)]) }
