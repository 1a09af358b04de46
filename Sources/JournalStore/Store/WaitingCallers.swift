/// Callers that wait for something, in the order in which they came.
///
/// One that leaves stays in the list until it is looked at anyway, or until most of the list has left. So to leave costs
/// the same however many callers wait.
struct WaitingCallers<Caller: AnyObject & Sendable>: Sendable {
    private var callers: [Caller] = []
    /// Those in the list that have not left.
    private var present: Set<ObjectIdentifier> = []
    /// How many callers were looked at: tests see by it that the cost follows the change.
    private(set) var visits = 0

    var isEmpty: Bool { present.isEmpty }
    var count: Int { present.count }

    func contains(_ caller: Caller) -> Bool { present.contains(ObjectIdentifier(caller)) }

    /// Adds a caller that was not there before.
    mutating func add(_ caller: Caller) {
        callers.append(caller)
        present.insert(ObjectIdentifier(caller))
    }

    /// - Returns: whether the caller was waiting.
    @discardableResult
    mutating func leave(_ caller: Caller) -> Bool {
        guard present.remove(ObjectIdentifier(caller)) != nil else { return false }
        if callers.count > 2 * present.count + 64 { removeAll { _ in false } }
        return true
    }

    /// Removes the callers that meet a condition.
    mutating func removeAll(where isDone: (Caller) -> Bool) {
        visits += callers.count
        // Not in place: the list would have two owners.
        var present = present
        self.present = []
        callers.removeAll { caller in
            let id = ObjectIdentifier(caller)
            guard present.contains(id) else { return true }
            guard isDone(caller) else { return false }
            present.remove(id)
            return true
        }
        self.present = present
    }

    /// Removes all callers.
    ///
    /// - Returns: them, in their order.
    mutating func takeAll() -> [Caller] {
        defer { (callers, present) = ([], []) }
        return callers.filter { present.contains(ObjectIdentifier($0)) }
    }
}
