import Dispatch

/// The current state of a store, and the streams that deliver each new state.
///
/// A reducer changes the state in place, so meanwhile there is none to read: ``withdraw()`` takes it away, and
/// ``publish(_:step:)`` puts it back. ``StoreEngine/newestState`` waits for that.
///
/// `@unchecked`: all variables but `mustTell` and `published` are used only while the lock is held. They are stored next to
/// it, because a lock over a value whose layout depends on the machine is slow.
package final class StateBroadcast<State: Sendable>: @unchecked Sendable {
    /// nil while a reducer changes it.
    private var current: StateBox<State>?
    /// Nil until there is a listener.
    private var audience: Audience?
    /// Whether states are not delivered to the listeners yet. Used only by the thread that publishes, without the lock.
    private var mustTell = false
    /// When the newest state was published that is to be delivered, in microseconds. Used like ``mustTell``.
    private var published: Int64 = 0
    /// The state as a rejected step has left it, if the state before that step could not be computed again. The store
    /// ends then.
    private var lost: StateBox<State>?
    /// Threads that wait for the state.
    private var readers: [StateReader] = []
    /// Whether a listener could not be added, because the state was withdrawn again and again.
    private var isInDemand = false
    private let held: Watched<PublishedStep>

    /// Those who listen to the states, and what they have not got yet.
    ///
    /// `@unchecked`: its variables are used only while the lock of the broadcast is held.
    private final class Audience: @unchecked Sendable {
        typealias Listener = AsyncStream<State>.Continuation

        /// Held while states are delivered, so that each listener gets them in order. It is taken before the other lock,
        /// and no handler of a cancellation takes it: a task that is being cancelled is locked meanwhile, and so a
        /// delivery to it waits for the handler.
        let delivery = Lock(())
        var listeners: [Int: Listener] = [:]
        /// How many there were.
        var count = 0
        /// States that are not delivered yet.
        var untold: [State] = []

        /// The states to deliver, and to whom. Call while both locks are held.
        func takeUntold() -> ([State], [Listener]) {
            if untold.isEmpty { return ([], []) }
            defer { untold = [] }
            return (untold, Array(listeners.values))
        }
    }

    init(_ state: StateBox<State>, step: Int) {
        current = state
        held = Watched(PublishedStep(step: step))
    }

    var step: Int { held.read { $0.step } }

    /// Which actions of effects count, up to the newest step.
    var decisions: StepDecisions { held.read { StepDecisions(step: $0.step, cancelled: $0.cancelled) } }

    /// The state and its step; no state while a reducer changes it.
    var newest: (state: State?, step: Int) { held.read { (current?.state, $0.step) } }

    /// Takes the state away until the next call of ``publish(_:step:)``. Call on one thread at a time.
    func withdraw() {
        held.read { _ in current = nil }
    }

    /// Publishes a state. Call on one thread at a time; call ``tell()`` afterwards.
    ///
    /// - Parameter now: the time in microseconds, which is asked for only if somebody listens.
    /// - Returns: whether to keep a second state from now on: a reader has called ``replace(with:at:)`` since the state was
    ///   withdrawn, or ``demand()``.
    @discardableResult
    func publish(_ state: StateBox<State>, step: Int, at now: @autoclosure () -> Int64 = Platform.uptime()) -> Bool {
        // Released without the lock: what an object in it does at its end must not meet the lock. Not a `StateBox`, whose
        // metadata would be looked up in each step.
        var computedAgain: AnyObject?
        defer { withExtendedLifetime(computedAgain) {} }
        let (keepsSecond, waiting, count) = held.change { held in
            let keepsSecond = current != nil || isInDemand
            isInDemand = false
            computedAgain = current
            current = state
            held.step = step
            if held.isHeard { audience?.untold.append(state.state) }
            let waiting = readers
            if !waiting.isEmpty { give(state.state, step) }
            return (keepsSecond, waiting, audience?.untold.count ?? 0)
        }
        for reader in waiting { reader.published.signal() }
        if count > 0 {
            let before = published
            (mustTell, published) = (true, now())
            // States of quick steps are delivered together. One waits for a slow step behind it only if it was published
            // right after another one.
            if count >= 64 || published - before > Self.quickStep { tell() }
        }
        return keepsSecond
    }

    /// Gives the state to the threads that wait for it. Call while the lock is held. Outlined: it looks up generic
    /// metadata.
    @inline(never)
    private func give(_ state: State, _ step: Int) {
        // A copy, because the next step changes the state in place.
        let found = StateBox(state)
        for reader in readers { (reader.found, reader.step) = (found, step) }
        readers = []
    }

    /// How long a quick step takes at most, in microseconds.
    private static var quickStep: Int64 { 2_000 }

    /// Publishes a step whose effect had been cancelled: the state stays.
    func publish(cancelled step: Int) {
        held.change { held in
            held.step = step
            held.cancelled.insert(step)
        }
    }

    /// The outcomes up to this step are on the disk.
    func forgetCancelled(upTo step: Int) {
        guard held.read({ !$0.cancelled.isEmpty }) else { return }
        held.change { held in held.cancelled = held.cancelled.filter { $0 > step } }
    }

    enum Reading {
        case state(State, step: Int)
        /// It gets the next state that is published.
        case reader(StateReader)
    }

    /// Reads the state; or adds a reader, if there is none at this moment.
    func addReader() -> Reading {
        held.read {
            if let current { return .state(current.state, step: $0.step) }
            let reader = StateReader()
            readers.append(reader)
            return .reader(reader)
        }
    }

    func remove(_ reader: StateReader) {
        held.read { _ in readers.removeAll { $0 === reader } }
    }

    /// What a reader got, and the step of that; nil if it got nothing yet.
    ///
    /// - Parameter limit: how long to wait for it.
    func state(for reader: StateReader, waiting limit: DispatchTimeInterval? = nil) -> (state: State, step: Int)? {
        if let limit { _ = reader.published.wait(timeout: .now() + limit) }
        // Only this broadcast fills it.
        return held.read { _ in
            reader.found.map { (unsafeDowncast($0, to: StateBox<State>.self).state, reader.step) }
        }
    }

    /// Asks for a second state, so that there is always one to read.
    func demand() {
        held.read { _ in isInDemand = true }
    }

    /// Gives a withdrawn state up: there is none any more. The store has failed.
    func lose(_ remains: StateBox<State>) {
        held.read { _ in lost = remains }
    }

    /// What is left of a state that was given up.
    var remains: State? { held.read { _ in lost?.state } }

    /// Whether the state was given up and has not been computed again.
    var hasLostState: Bool { held.read { _ in lost != nil && current == nil } }

    /// Publishes a state that was computed again, if the one of that step is still missing.
    func replace(with state: State, at step: Int) {
        held.read { if current == nil, $0.step == step { current = StateBox(state) } }
    }

    /// Delivers the new states together, because waking a listener costs more than a step.
    func tell() {
        guard mustTell else { return }
        mustTell = false
        guard let audience = held.read({ _ in audience }) else { return }
        // Released without the lock: what an object in a state does at its end must not meet it. A listener that ends
        // meanwhile has states too.
        let released = audience.delivery.withLock { _ in
            let (states, listeners) = held.read { _ in audience.takeUntold() }
            return (deliver(states, to: listeners), listeners)
        }
        withExtendedLifetime(released) {}
    }

    /// Call while only the lock of deliveries is held.
    ///
    /// - Returns: the states, and the older ones that a listener has no room for.
    private func deliver(_ states: [State], to listeners: [AsyncStream<State>.Continuation]) -> [State] {
        var released = states
        for state in states {
            for listener in listeners {
                if case .dropped(let oldest) = listener.yield(state) { released.append(oldest) }
            }
        }
        return released
    }

    /// Delivers the last states and ends the streams.
    func end() {
        let audience = held.change { held in
            held.isOver = true
            return self.audience
        }
        guard let audience else { return }
        let (last, released) = audience.delivery.withLock { _ in
            let (states, last) = held.read { _ in
                defer { (audience.listeners, audience.untold) = ([:], []) }
                return (audience.untold, audience.listeners)
            }
            return (last, deliver(states, to: Array(last.values)))
        }
        withExtendedLifetime(released) {}
        for listener in last.values { listener.finish() }
    }

    /// Adds a listener, which gets the current state, then each later one.
    ///
    /// - Returns: false if there is no current state, because a reducer changes it.
    func add(_ continuation: AsyncStream<State>.Continuation) -> Bool {
        let audience = held.read { _ in
            let known = self.audience ?? Audience()
            self.audience = known
            return known
        }
        typealias Listeners = [AsyncStream<State>.Continuation]
        let (isAdded, id, released): (Bool, Int?, ([State], Listeners)) = audience.delivery.withLock { _ in
            typealias Added = (state: State, id: Int?, untold: ([State], Listeners))
            let added = held.change { held -> Added? in
                guard let current else { return nil }
                // The new listener begins with the current state, so earlier states must not be delivered to it.
                let earlier = audience.takeUntold()
                guard !held.isOver else { return (current.state, nil, earlier) }
                defer { audience.count += 1 }
                audience.listeners[audience.count] = continuation
                held.isHeard = true
                return (current.state, audience.count, earlier)
            }
            guard let added else { return (false, nil, ([], [])) }
            let (states, listeners) = added.untold
            let released = deliver(states, to: listeners) + deliver([added.state], to: [continuation])
            return (true, added.id, (released, listeners))
        }
        withExtendedLifetime(released) {}
        if let id {
            continuation.onTermination = { [weak self] _ in
                self?.forget(id)
            }
        } else if isAdded {
            continuation.finish()
        }
        return isAdded
    }

    /// Whether something listens to the states, or waits for steps with a ``Follower``.
    var isFollowed: Bool { held.read { $0.isHeard || $0.followers > 0 } }

    /// Stands for something that waits for the steps, as long as it exists.
    final class Follower: Sendable {
        private let broadcast: StateBroadcast

        init(_ broadcast: StateBroadcast) {
            self.broadcast = broadcast
            broadcast.held.change { $0.followers += 1 }
        }

        deinit { broadcast.held.change { $0.followers -= 1 } }
    }

    private func forget(_ listener: Int) {
        // It can be the last to have its stream, with states that nobody has read.
        let stream = held.change { held in
            defer { held.isHeard = audience?.listeners.isEmpty == false }
            return audience?.listeners.removeValue(forKey: listener)
        }
        withExtendedLifetime(stream) {}
    }

    /// Waits for a step after this one.
    ///
    /// - Returns: the newest step; nil if the store has ended or the task was cancelled.
    package func wait(after step: Int) async -> Int? {
        await held.wait { $0.step > step ? .some($0.step) : $0.isOver ? .some(nil) : nil } ?? nil
    }
}

/// A thread that waits for the state. It gets the next one that is published: before it looks itself, the state can be
/// withdrawn again. Not generic, because looking up a type that depends on the machine is slow.
///
/// `@unchecked`: what was found is used only while the lock of the broadcast is held.
final class StateReader: @unchecked Sendable {
    fileprivate let published = DispatchSemaphore(value: 0)
    /// The state, in a box.
    fileprivate var found: AnyObject?
    fileprivate var step = 0
}

private struct PublishedStep {
    var step: Int
    var isOver = false
    /// Whether there are listeners.
    var isHeard = false
    /// How many others wait for steps.
    var followers = 0
    /// The steps whose actions do not count, because their effects had been cancelled, and whose outcomes may not be on
    /// the disk.
    var cancelled: Set<Int> = []
}
