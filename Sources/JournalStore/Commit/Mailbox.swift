/// Who commits what waits: the rule of group commit, alone.
///
/// What arrives while a transaction is under way waits, and goes into the next one together. No timer, no thread of its
/// own: whoever finds the writer idle is the one to work. Each caller waits for what it hands in, so that the queue is
/// never longer than there are callers.
struct Mailbox<Item> {
    private var waiting: [Item] = []
    private(set) var isWorking = false
    /// How many must wait until somebody begins.
    private var quorum = 1

    /// - Returns: whether the caller has to do the work now, as nobody does.
    mutating func add(_ item: Item) -> Bool {
        waiting.append(item)
        return begin()
    }

    /// The same for several that keep their order, and nothing between them.
    mutating func add(contentsOf items: some Sequence<Item>) -> Bool {
        waiting.append(contentsOf: items)
        return begin()
    }

    private mutating func begin() -> Bool {
        guard !isWorking, waiting.count >= quorum else { return false }
        quorum = 1
        isWorking = true
        return true
    }

    /// The one that works gives way, and has to come back: ``resume()``. Until then whoever brings so many together begins.
    ///
    /// - Returns: false where as many wait already: then there is no need to.
    mutating func pause(until quorum: Int) -> Bool {
        guard waiting.count < quorum else { return false }
        isWorking = false
        self.quorum = quorum
        return true
    }

    enum Return { case goOn, othersWork, nothingWaits }

    /// The one that gave way is back.
    ///
    /// - Parameter isLast: whether it does not come back once more where nothing waits. The next to arrive begins then.
    mutating func resume(isLast: Bool) -> Return {
        if isWorking { return .othersWork }
        if isLast || !waiting.isEmpty { quorum = 1 }
        return begin() ? .goOn : .nothingWaits
    }

    /// Whether nothing waits: then the work has ended, and the next to arrive begins anew.
    mutating func stopIfEmpty() -> Bool {
        guard waiting.isEmpty else { return false }
        isWorking = false
        return true
    }

    /// What is next, in the order of arrival: as much as fits, and one item at least; nil where nothing waits.
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
            defer { waiting = [] }
            return waiting
        }
        defer { waiting.removeFirst(taken) }
        return Array(waiting[..<taken])
    }
}
