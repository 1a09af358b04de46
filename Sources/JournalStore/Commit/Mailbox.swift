/// A queue with one worker at a time: the rule of group commit. Does no work itself.
///
/// Items that arrive while the worker is busy wait, and it takes them together. There is no timer and no thread: the
/// caller that adds an item and finds no worker becomes the worker.
struct Mailbox<Item> {
    private var waiting: [Item] = []
    private(set) var isWorking = false
    /// How many items wait.
    var count: Int { waiting.count }
    /// How many items must wait before a caller becomes the worker.
    private var quorum = 1
    /// Whether one of the waiting items cannot wait for a paused worker.
    private var isUrgent = false

    /// - Parameter canWait: whether the caller can wait for a paused worker.
    /// - Returns: whether the caller is now the worker.
    mutating func add(_ item: Item, canWait: Bool = true) -> Bool {
        waiting.append(item)
        if !canWait { isUrgent = true }
        return begin()
    }

    /// Adds items that keep their order and have no other item between them.
    mutating func add(contentsOf items: some Sequence<Item>) -> Bool {
        waiting.append(contentsOf: items)
        return begin()
    }

    private mutating func begin() -> Bool {
        guard !isWorking, isUrgent || waiting.count >= quorum else { return false }
        quorum = 1
        isWorking = true
        return true
    }

    /// Pauses the worker, which must resume later. Meanwhile, the caller whose item makes this many wait is the worker.
    ///
    /// - Returns: false if this many wait already, or one that cannot wait: the worker continues.
    mutating func pause(until quorum: Int) -> Bool {
        guard waiting.count < quorum, !isUrgent else { return false }
        isWorking = false
        self.quorum = quorum
        return true
    }

    enum Return { case goOn, othersWork, nothingWaits }

    /// Resumes a paused worker.
    ///
    /// - Parameter isLast: whether it gives up if nothing waits; then the next caller becomes the worker.
    mutating func resume(isLast: Bool) -> Return {
        if isWorking { return .othersWork }
        if isLast || !waiting.isEmpty { quorum = 1 }
        return begin() ? .goOn : .nothingWaits
    }

    /// Stops the worker if nothing waits, and returns whether it did. Then the next caller becomes the worker.
    mutating func stopIfEmpty() -> Bool {
        guard waiting.isEmpty else { return false }
        isWorking = false
        return true
    }

    /// Takes the next items in the order of arrival: as many as fit, but at least one; nil if nothing waits.
    mutating func next(fitting room: Int, size: (Item) -> Int) -> [Item]? {
        guard !waiting.isEmpty else { return nil }
        var taken = 0
        var total = 0
        for item in waiting {
            total += size(item)
            if taken > 0 && total > room { break }
            taken += 1
        }
        if taken == waiting.count {
            defer { (waiting, isUrgent) = ([], false) }
            return waiting
        }
        defer { waiting.removeFirst(taken) }
        return Array(waiting[..<taken])
    }
}
