import JournalReplayKit
import LoginMachine

/// The entry point for `journal-replay --machine libLoginPlugin.so`.
@c(journal_replay_machines)
public func journalReplayMachines() -> UnsafeRawPointer {
    // Replaying makes no request.
    ReplayPlugin.table([ReplayMachine(machine, environment: Server { _, _, _ in })])
}
