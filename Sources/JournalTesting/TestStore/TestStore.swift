public import JournalStore

/// Tests a running machine step by step: what each action changes, and what the effects send.
///
/// ```swift
/// let store = try await TestStore(cart, environment: shop)
/// await store.send(.add("apple")) { $0.items = ["apple"] }
/// await store.send(.pay)
/// await store.receive(.paid("1 items")) { $0.receipt = "1 items" }
/// await store.finish()
/// ```
///
/// It is a `Store` with a journal in a temporary folder, so that effects, queues, retries and restarts
/// work as in an app. Delays and timers use ``clock``, which only the test advances. Dates, UUIDs and random numbers of
/// the `Step` are the same in each run of the test, unless the test passes another clock or seed.
///
/// A test asserts everything that happens, unless its `exhaustivity` is off: each change of the state,
/// each action that an effect sends, and that all effects have ended at the end. It does not assert messages to other
/// machines. A failure is recorded at the line of the call, and the test continues.
///
/// Bodies of effects run one at a time. Each call of the test store returns when all of them wait: for the clock, or
/// for something that the test does not control.
public final class TestStore<Action: Codable & Sendable, State: Codable & Sendable> {
    /// How much a test must assert.
    public enum Exhaustivity: Hashable, Sendable {
        /// Everything that happens.
        case on
        /// Only what the test is about. A closure gets the state after the step, and fails if it changes it: assign
        /// only what matters. Actions that are not received are skipped, and effects may be running at the end.
        case off
    }

    /// The clock of delays, timers and the journal. ``advance(by:fileID:filePath:line:column:)`` moves it.
    public let clock: ManualClock
    /// How much the test must assert.
    public var exhaustivity = Exhaustivity.on
    /// How long a call waits in real time for an action or for the end of effects before it fails. It matters only for
    /// effects that wait for something other than ``clock``.
    ///
    /// A call also fails if effects do not stop working: after they were running for ten seconds, after a minute of
    /// real time, or after a thousand actions that the test has not received. The call compares these limits each time
    /// that `timeLimit` has passed.
    public var timeLimit = Duration.seconds(1)
    /// The state after the newest step that the test has asserted.
    public internal(set) var state: State
    /// The store that is tested, for what the test store does not offer: cancelling, listing and releasing effects.
    public internal(set) var store: Store<Action, State>
    /// Its journal, a file in a temporary folder that is removed with the test store.
    public internal(set) var journal: Journal

    /// What the newest opening found and did.
    public var recovery: RecoveryReport { store.recovery }

    /// The newest step that the test has asserted.
    var asserted: Transition<Action, State>?
    let recorder: StepRecorder<Action, State>
    var stillness: Stillness { clock.stillness }
    let options: OpenOptions
    let open: @Sendable (OpenOptions) async throws -> (Journal, Store<Action, State>)
    var isFinished = false
    var hasFailed = false
    /// Whether effects were found to be at work for too long, so that nothing waits for them any more.
    var isRestless = false
    /// How long a call waits in real time for a body that blocks its thread.
    var blockLimit = Duration.seconds(60)
    /// How long `finish()` waits after that.
    var closeLimit = Duration.seconds(10)
    private let origin: CallSite
    let report: @Sendable (TestStoreFailure) -> Void

    /// Opens a machine on a new journal, and starts its initial effect.
    ///
    /// - Parameters:
    ///   - machine: the machine.
    ///   - initialState: the state to begin with instead of the machine's. If the state is an optional, pass
    ///     `.some(nil)` to begin with nil.
    ///   - environment: the dependencies of its reducer and its effects.
    ///   - clock: the clock, which also determines the date.
    ///   - seed: what random values are derived from.
    ///   - options: how the machine is opened, also by each `restart()` without options of its own.
    ///   - report: called with each failure; by default it is recorded in the current test.
    /// - Throws: `JournalError` if the machine cannot be opened.
    public init<Environment>(
        _ machine: Machine<Action, State, Environment>, initialState: State? = nil, environment: Environment,
        clock: ManualClock = ManualClock(), seed: UInt64 = 0, options: OpenOptions = OpenOptions(),
        report: @escaping @Sendable (TestStoreFailure) -> Void = { $0.record() },
        fileID: String = #fileID, filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
    ) async throws {
        var machine = machine
        if let initialState { machine.initialState = initialState }
        let place = try TestJournal(clock: clock, seed: seed)
        let recorder = StepRecorder<Action, State>()
        open = { [machine] options in
            let journal = try place.open(recording: recorder)
            let store = try await journal.open(
                machine, stream: "test", environment: environment, clock: clock, observers: [recorder.observer],
                options: options)
            return (journal, store)
        }
        (self.clock, self.recorder, self.report, self.options) = (clock, recorder, report, options)
        origin = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
        (journal, store) = try await open(options)
        state = machine.initialState
        await quiet(at: origin)
    }

    deinit {
        guard exhaustivity == .on, !isFinished, !hasFailed else { return }
        report(
            TestStoreFailure(
                "The test store was released before `finish()`: what it did last was not checked.", at: origin))
    }
}

extension TestStore {
    /// Opens a machine without an environment; see
    /// ``init(_:initialState:environment:clock:seed:options:report:fileID:filePath:line:column:)``.
    public convenience init(
        _ machine: Machine<Action, State, Void>, initialState: State? = nil, clock: ManualClock = ManualClock(),
        seed: UInt64 = 0, options: OpenOptions = OpenOptions(),
        report: @escaping @Sendable (TestStoreFailure) -> Void = { $0.record() },
        fileID: String = #fileID, filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
    ) async throws {
        try await self.init(
            machine, initialState: initialState, environment: (), clock: clock, seed: seed, options: options,
            report: report, fileID: fileID, filePath: filePath, line: line, column: column)
    }
}
