/// Limits how many dispatches are under way. Those that wait are admitted in the order of their calls.
struct DispatchLimit: Sendable {
    private let limit: Int
    private(set) var underWay = 0
    private var waiting = Line<@Sendable () -> Void>()

    init(_ limit: Int) {
        self.limit = limit
    }

    /// - Returns: whether a dispatch may begin.
    mutating func enter() -> Bool {
        guard underWay < limit else { return false }
        underWay += 1
        return true
    }

    /// A dispatch begins that must not wait, whatever the limit.
    mutating func enterBeyondLimit() { underWay += 1 }

    /// Waits for another dispatch to end. When `admit` is called, the dispatch has begun.
    mutating func wait(_ admit: @escaping @Sendable () -> Void) {
        waiting.add(admit)
    }

    /// A dispatch has ended.
    ///
    /// - Returns: admits the one that waits for longest.
    mutating func leave() -> (@Sendable () -> Void)? {
        let next = underWay > limit ? nil : waiting.next()
        if next == nil { underWay -= 1 }
        return next
    }
}
