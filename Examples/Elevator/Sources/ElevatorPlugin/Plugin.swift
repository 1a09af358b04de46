import ElevatorMachine
import JournalReplayKit

/// The entry point for `journal-replay --machine libElevatorPlugin.so`.
@c(journal_replay_machines)
public func journalReplayMachines() -> UnsafeRawPointer {
    // Replaying moves no door.
    ReplayPlugin.table([ReplayMachine(machine(engine: Engine(delay: .zero)))])
}
