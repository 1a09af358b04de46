/// When the runs with a slot of a queue may start, by the tickets of their slots.
///
/// A ticket is visited when it becomes ready and when its time comes, always in the order of the tickets. Between those
/// visits it costs nothing, so what happens in a queue costs the same however many of its runs are delayed.
struct ReadyRuns: Sendable {
    private struct Later: Comparable, Sendable {
        var tick: Duration
        var ticket: Int

        static func < (left: Later, right: Later) -> Bool { (left.tick, left.ticket) < (right.tick, right.ticket) }
    }

    /// When the run of each ticket may start.
    private var ticks: [Int: Duration] = [:]
    /// The tickets to visit. Obsolete ones stay in it.
    private var unvisited = Heap<Int>()
    /// The tickets that were visited before their time. Obsolete ones stay in it.
    private var later = Heap<Later>()

    /// All tickets, in order.
    var tickets: [Int] { ticks.keys.sorted() }
    /// How many entries it holds, obsolete ones included.
    var entryCount: Int { unvisited.count + later.count }

    /// - Parameter tick: when the run may start; nil if it is not ready any more.
    mutating func set(_ ticket: Int, at tick: Duration?) {
        guard ticks[ticket] != tick else { return }
        ticks[ticket] = tick
        if tick != nil { unvisited.insert(ticket) }
        tidy()
    }

    /// The next ticket to visit. One whose time has come is returned again until it is not ready any more.
    mutating func next(at now: Duration) -> Int? {
        while let due = later.least, due.tick <= now {
            later.removeLeast()
            if ticks[due.ticket] == due.tick { unvisited.insert(due.ticket) }
        }
        while let ticket = unvisited.least {
            let tick = ticks[ticket]
            if let tick, tick <= now { return ticket }
            while unvisited.least == ticket { unvisited.removeLeast() }
            guard let tick else { continue }
            later.insert(Later(tick: tick, ticket: ticket))
            return ticket
        }
        return nil
    }

    /// When the time of the next ticket comes that was visited before its time.
    mutating func nextTick() -> Duration? {
        while let first = later.least, ticks[first.ticket] != first.tick { later.removeLeast() }
        return later.least?.tick
    }

    /// Drops obsolete entries when they are the majority: effects that are delayed by a month and cancelled by the next
    /// action would otherwise leave theirs behind for a month.
    private mutating func tidy() {
        if unvisited.count > 64, unvisited.count > 2 * ticks.count {
            unvisited.keep { ticks[$0] != nil }
        }
        if later.count > 64, later.count > 2 * ticks.count {
            later.keep { ticks[$0.ticket] == $0.tick }
        }
    }
}
