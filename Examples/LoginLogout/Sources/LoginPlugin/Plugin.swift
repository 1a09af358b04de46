import JournalReplayKit
import LoginMachine

/// The entry point for `journal-replay --machine libLoginPlugin.so`.
#if compiler(>=6.3)
    @c(journal_replay_machines)
#else
    @_cdecl("journal_replay_machines")
#endif
public func journalReplayMachines() -> UnsafeRawPointer {
    // Replaying makes no request.
    ReplayPlugin.table([ReplayMachine(machine, environment: Server { _, _, _ in })])
}
