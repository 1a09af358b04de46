import Synchronization

/// The calls of a plain effect, made one at a time. If a call makes an older one end, its own end is recorded together
/// with that of the older one, or later.
///
/// A call can make an older one end, as `stop` does with `start`, by releasing its `dispatch`; a timer that is
/// cancelled releases it a moment later, on a thread of its own. If the end of `stop` were recorded first, a crash in
/// between would leave `start` alone to be called again. So a call whose `dispatch` is released while an older call has
/// not ended is held for a moment.
final class PlainCalls: Sendable {
    /// How long a call is held.
    static let hold = Duration.milliseconds(100)

    private struct State {
        var live = LiveTickets()
        var held: Set<Int> = []
        /// Whether the function is being called.
        var isCalling = false
    }

    /// A call, for the function and for the tasks that it starts.
    private final class Call: Sendable {
        let calls: PlainCalls
        let hasReturned = Atomic(false)

        init(_ calls: PlainCalls) { self.calls = calls }
    }

    @TaskLocal private static var current: Call?

    let executor = OrderedExecutor()
    private let state = Watched(State())

    /// Whether this is a call of the function, which must not wait for the calls to end.
    var isCallingHere: Bool {
        guard let call = Self.current, !call.hasReturned.load(ordering: .relaxed) else { return false }
        return call.calls === self
    }

    /// Calls the function.
    ///
    /// - Returns: the ticket of the call.
    func call(_ function: () -> Void) -> Int {
        let ticket = state.change { state in
            state.isCalling = true
            return state.live.begin()
        }
        let call = Call(self)
        Self.$current.withValue(call, operation: function)
        call.hasReturned.store(true, ordering: .relaxed)
        state.change { $0.isCalling = false }
        return ticket
    }

    /// The call's run is fenced: its end will not be recorded.
    func fenced(_ ticket: Int) {
        state.change { $0.live.end(ticket) }
    }

    /// No copy of the call's `dispatch` is left. Returns when its end may be recorded.
    func end(_ ticket: Int, _ clock: any Clock<Duration>) async throws {
        let isHeld = state.change { state in
            state.live.end(ticket)
            if state.live.hasOlder(than: ticket) { state.held.insert(ticket) }
            return state.live.hasOlder(than: ticket)
        }
        guard isHeld else { return }
        // After the current job, in which the caller reports the end to the store.
        defer { executor.afterCurrentJob { [state] in _ = state.change { $0.held.remove(ticket) } } }
        try await clock.sleep(for: PlainCalls.hold)
    }

    /// The ticket of the next call.
    var next: Int { state.read { $0.live.next } }

    /// Waits until none of the calls before this ticket is held, or the function is being called: if it blocks, it also
    /// blocks the ends of held calls.
    func noneIsHeld(before ticket: Int) async {
        _ = await state.wait { state in
            state.isCalling || !state.held.contains { $0 < ticket } ? true : nil
        }
    }
}

/// Which of the tickets that were given out in order have not ended.
///
/// Its size depends on how many have not ended: one call can go on for weeks, while millions of others end.
struct LiveTickets {
    /// The next ticket.
    private(set) var next = 0
    private var live: Set<Int> = []
    /// The live tickets in order, the first of them first, between some that have ended.
    private(set) var line = ArraySlice<Int>()

    mutating func begin() -> Int {
        defer { next += 1 }
        live.insert(next)
        line.append(next)
        return next
    }

    mutating func end(_ ticket: Int) {
        live.remove(ticket)
        line = line.drop { !live.contains($0) }
        // Not each time, so that the cost does not depend on how many are live.
        if line.count > 2 * live.count + 64 { line.removeAll { [live] in !live.contains($0) } }
    }

    func hasOlder(than ticket: Int) -> Bool { line.first.map { $0 < ticket } ?? false }
}
