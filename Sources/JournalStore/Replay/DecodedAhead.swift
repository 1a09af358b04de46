import Dispatch

/// The actions of a page of steps. Another thread decodes them, while the fold reduces the page before.
final class DecodedAhead<Action: Sendable>: Sendable {
    private enum Stage {
        case waiting
        case running(waiters: Int)
        case done(DecodedActions<Action>)
        case taken
    }

    let page: StoredSteps
    private let stage = Lock(Stage.waiting)
    private let done = DispatchSemaphore(value: 0)

    /// - Parameter decode: decodes the stored bytes of an action of the given version.
    init(_ page: StoredSteps, _ decode: @escaping @Sendable (UnsafeBufferPointer<UInt8>, Int) throws -> Action) {
        self.page = page
        // Weak: if the fold ends before, nothing needs to be decoded.
        DispatchQueue.global().async { [weak self] in self?.run(decode) }
    }

    private func run(_ decode: (UnsafeBufferPointer<UInt8>, Int) throws -> Action) {
        let begins = stage.withLock { stage in
            guard case .waiting = stage else { return false }
            stage = .running(waiters: 0)
            return true
        }
        guard begins else { return }
        let actions = page.decoded(decode)
        let waiters = stage.withLock { stage in
            guard case .running(let waiters) = stage else { return 0 }
            stage = .done(actions)
            return waiters
        }
        for _ in 0..<waiters { done.signal() }
    }

    /// How many threads wait for the actions: tests see by it that they do.
    var waiters: Int { stage.withLock { if case .running(let waiters) = $0 { waiters } else { 0 } } }

    /// Takes the actions of the first steps: those up to the first that cannot be decoded.
    ///
    /// - Returns: nil if the other thread has not begun, which may be busy for a long time, or if a copy of the fold
    ///   took them.
    func take() -> DecodedActions<Action>? {
        while true {
            let (actions, waits) = stage.withLock { stage -> (DecodedActions<Action>?, Bool) in
                switch stage {
                case .waiting, .taken:
                    stage = .taken
                    return (nil, false)
                case .running(let waiters):
                    stage = .running(waiters: waiters + 1)
                    return (nil, true)
                case .done(let actions):
                    stage = .taken
                    return (actions, false)
                }
            }
            guard waits else { return actions }
            done.wait()
        }
    }
}

/// Actions that are taken in their order.
///
/// Not an array: to look up the type of an array at each step costs a tenth of what decoding costs. `@unchecked`: one
/// thread fills it before it is handed over under a lock. From then on only a fold takes from it that holds the sole
/// reference.
final class DecodedActions<Action>: @unchecked Sendable {
    private let start: UnsafeMutablePointer<Action>
    private var (first, end) = (0, 0)

    init(capacity: Int) { start = .allocate(capacity: capacity) }

    deinit {
        (start + first).deinitialize(count: end - first)
        start.deallocate()
    }

    var isEmpty: Bool { first == end }

    func append(_ action: consuming Action) {
        (start + end).initialize(to: action)
        end += 1
    }

    /// - Precondition: it is not empty.
    func take() -> Action {
        first += 1
        return (start + (first - 1)).move()
    }
}

extension StoredSteps {
    /// The actions of the first steps: those up to the first that cannot be decoded.
    fileprivate func decoded<Action>(
        _ decode: (UnsafeBufferPointer<UInt8>, Int) throws -> Action
    ) -> DecodedActions<Action> {
        let actions = DecodedActions<Action>(capacity: remaining.count)
        for step in remaining {
            do { actions.append(try action(of: step, decode)) } catch { break }
        }
        return actions
    }
}
