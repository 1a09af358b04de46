import ElevatorMachine
import JournalReplayKit

/// The entry point for `journal-replay --machine libElevatorPlugin.so`.
#if compiler(>=6.3)
    @c(journal_replay_machines)
#else
    @_cdecl("journal_replay_machines")
#endif
public func journalReplayMachines() -> UnsafeRawPointer {
    // Replaying moves no door.
    ReplayPlugin.table([ReplayMachine(machine(engine: Engine(delay: .zero)))])
}
