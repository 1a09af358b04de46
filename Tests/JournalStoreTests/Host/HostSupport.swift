import JournalTesting
import Testing
import TortureKit

@testable import JournalStore

extension AtDesk {
    func host(
        _ journal: Journal, open: Int = 10_000, bytes: Int? = nil, _ machine: Machine<Play, Score, Stage> = play,
        observers: [Observer<Play, Score>] = [],
        effects: @escaping @Sendable (String) -> Effect<Play> = { _ in .none }
    ) throws -> MachineHost<Play, Score> {
        var options = HostOptions()
        options.maxOpenStreams = open
        options.maxStateBytes = bytes
        return try journal.host(
            machine, environment: Stage(effects: effects), clock: clock, observers: { _ in observers }, options: options
        )
    }

    /// Waits until so many streams are open, and none is being opened or closed.
    func wait(_ host: MachineHost<Play, Score>, open: Int) async {
        _ = await host.progress.wait { _ in
            host.work.withLock { $0.streams.openCount == open && $0.streams.underWay == 0 } ? true : nil
        }
    }

    /// Waits until so many entries with an action name are in the journal.
    func arrives(_ name: String, _ journal: Journal, times: Int = 1) async throws {
        var count = 0
        for try await entry in journal.reader.follow(after: 0) where entry.action.contains("\"\(name)\"") {
            count += 1
            if count == times { return }
        }
        Issue.record("The journal ended after \(count) entries '\(name)'.")
    }

    /// Waits until the state of a stream has this log.
    func says(_ log: [String], _ host: MachineHost<Play, Score>, _ stream: String) async throws {
        _ = try await host.dispatch(.add(0), to: stream) { $0.log == log }
    }

    /// Closes the host with a deadline. The body that waits at the door ends meanwhile.
    func close(_ host: MachineHost<Play, Score>, whileOneWaitsAt door: Door) async -> HostShutdown {
        await door.comers(1)
        async let left = host.close(within: .seconds(60))
        await clock.sleepers(1)
        door.open()
        return await left
    }
}
