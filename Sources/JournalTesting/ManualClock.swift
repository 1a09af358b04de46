public import JournalStore

/// A clock that only moves when told to: tests of delays, retries and the journal's times need not wait.
///
/// ```swift
/// let clock = ManualClock()
/// var options = Journal.Options()
/// options.follow(clock)
/// let journal = try Journal.inMemory(options: options)
/// let store = try await journal.open(machine, stream: "test", environment: (), clock: clock)
/// try await store.dispatch(.start)
/// await clock.advance(by: .seconds(60))
/// ```
///
/// ``advance(by:)`` and ``runUntilIdle(atMost:)`` return when all that was due is done, if the journal follows the
/// clock. ``move(by:)`` returns at once.
public final class ManualClock: Clock, Sendable {
    /// A moment of the clock.
    public struct Instant: InstantProtocol {
        /// The time since the clock was created.
        public var offset: Duration

        /// The moment this long after the clock was created.
        public init(offset: Duration) {
            self.offset = offset
        }

        /// The moment this much later.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

        /// How much later the other moment is.
        public func duration(to other: Instant) -> Duration { other.offset - offset }

        /// Orders moments by time.
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper {
        var until: Duration
        var order: Int
        /// The effect that sleeps, if it is known.
        var body: Stillness.Body?
        var continuation: UnsafeContinuation<Void, any Error>
    }

    private struct State {
        var now = Duration.zero
        var added = 0
        private(set) var sleepers: [Int: Sleeper] = [:]
        /// How many tasks of each effect sleep, its own one and those that it has started.
        private(set) var sleeping: [Stillness.Body: Int] = [:]
        /// The effects that were woken since the last call of ``takeSleepingBodies()``.
        var woken: Set<Stillness.Body> = []
        /// How many tasks of an effect slept before some of them were woken, until as many sleep again.
        var slept: [Stillness.Body: Int] = [:]

        mutating func add(_ sleeper: Sleeper) {
            sleepers[sleeper.order] = sleeper
            if let body = sleeper.body { sleeping[body, default: 0] += 1 }
        }

        mutating func remove(_ order: Int) -> Sleeper? {
            guard let sleeper = sleepers.removeValue(forKey: order) else { return nil }
            if let body = sleeper.body {
                let left = (sleeping[body] ?? 1) - 1
                sleeping[body] = left > 0 ? left : nil
            }
            return sleeper
        }
    }

    private let start: Timestamp
    private let state = Watched(State())
    /// Of the journals that follow the clock.
    let stillness = Stillness()

    /// A clock that starts at a time of day, by default the beginning of 2026.
    public init(at start: Timestamp = Timestamp(microseconds: 1_767_225_600_000_000)) {
        self.start = start
    }

    /// The current moment.
    public var now: Instant { Instant(offset: state.read { $0.now }) }

    /// Zero: the clock can move by any duration.
    public var minimumResolution: Duration { .zero }

    /// The clock's time as a time of day, for `Journal.Options.wallClock`.
    public var wallClock: @Sendable () -> Timestamp {
        { [self] in start.advanced(by: now.offset) }
    }

    /// Sleeps until the clock reaches the deadline.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let id = state.change { state in
            defer { state.added += 1 }
            return state.added
        }
        try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Void, any Error>) in
                let result: Result<Void, any Error>? = state.change { state in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if deadline.offset <= state.now { return .success(()) }
                    state.add(
                        Sleeper(
                            until: deadline.offset, order: id, body: Stillness.Body.current,
                            continuation: continuation))
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            state.change { $0.remove(id) }?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Moves the clock and wakes the tasks that are due, the earliest first. Returns before they have done anything. It
    /// does not go back: a negative duration counts as zero.
    public func move(by duration: Duration) {
        let woken = state.change { state in
            state.now += max(.zero, duration)
            let due = state.sleepers.values.filter { $0.until <= state.now }
            for body in due.compactMap(\.body) {
                state.woken.insert(body)
                state.slept[body] = max(state.slept[body] ?? 1, state.sleeping[body] ?? 1)
            }
            for sleeper in due { _ = state.remove(sleeper.order) }
            return due.sorted { ($0.until, $0.order) < ($1.until, $1.order) }
        }
        for sleeper in woken { sleeper.continuation.resume() }
    }

    /// Waits until at least this many tasks sleep.
    public func sleepers(_ count: Int) async {
        _ = await state.wait { $0.sleepers.count >= count ? true : nil }
    }

    /// How far the clock must move to wake the next task; nil if no task sleeps.
    public var nextWake: Duration? {
        state.read { state in state.sleepers.values.map(\.until).min().map { $0 - state.now } }
    }

    /// The effects that sleep, and those that were woken since the last call. An effect of which only some tasks were
    /// woken sleeps when as many of its tasks do as before.
    func takeSleepingBodies() -> (asleep: Set<Stillness.Body>, woken: Set<Stillness.Body>) {
        state.change { state in
            defer { state.woken = [] }
            let asleep = Set(state.sleeping.filter { $0.value >= state.slept[$0.key] ?? 1 }.keys)
            for body in asleep { state.slept[body] = nil }
            return (asleep, state.woken)
        }
    }

    /// Forgets how many tasks of each effect slept. Those that were woken and do not sleep again have ended, or wait
    /// for something else.
    func forgetSlept() {
        state.change { $0.slept = [:] }
    }

    /// Moves to the next moment at which a task is due, or by the whole limit if none is due within it.
    ///
    /// - Returns: whether a task was woken.
    func moveToNextWake(within limit: Duration?) -> Bool {
        guard let wake = nextWake, limit.map({ wake <= $0 }) ?? true else {
            if let limit { move(by: limit) }
            return false
        }
        move(by: wake)
        return true
    }
}
