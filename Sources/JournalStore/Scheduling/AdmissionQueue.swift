/// Decides which entries of a stream may be submitted to the writer now.
///
/// Dispatches pass at once. An action of an effect waits until every earlier entry of its stream is reduced, because
/// one of them may cancel the effect. Dispatches that arrive meanwhile wait behind it; otherwise it could wait for
/// ever. What waits when its turn comes is submitted with it. Results of other effects may be among that: whether they
/// count is known when those before them are reduced.
struct AdmissionQueue<Dispatch, Send> {
    enum Item {
        case dispatch(Dispatch)
        case send(Send)
    }

    /// The most sends that are submitted together: a cancellation by the app waits for all of them.
    private static var mostSends: Int { 1_024 }

    /// Submissions that are not reduced yet.
    private var underWay = 0
    /// The sends among them.
    private var sendsUnderWay = 0
    var sendIsUnderWay: Bool {
        // Called with the metadata of the queue otherwise, which each dispatch would look up.
        @inline(__always) get { sendsUnderWay > 0 }
    }
    /// A send met a full disk. Dispatches pass it, which shows whether there is room again.
    private(set) var isStuck = false
    /// The sends that were postponed, before the line. No more than are submitted together.
    private var front: [Send] = []
    /// How many of them are of the newest submission.
    private var postponed = 0
    private var line = Line<Item>()
    /// How many dispatches are in the line.
    private var dispatchesInLine = 0
    /// Whether something waits. Stored, because asking a list whose type depends on the machine is slow.
    private(set) var hasWaiting = false

    /// Whether nothing is under way and nothing waits.
    var isIdle: Bool { underWay == 0 && !hasWaiting }

    /// - Returns: whether a dispatch may be submitted now. If not, it must wait.
    @inline(__always)
    mutating func pass() -> Bool {
        guard isStuck || !hasWaiting && !sendIsUnderWay else { return false }
        underWay += 1
        return true
    }

    mutating func wait(_ dispatch: Dispatch) {
        line.add(.dispatch(dispatch))
        dispatchesInLine += 1
        hasWaiting = true
    }

    mutating func add(_ send: Send) {
        line.add(.send(send))
        hasWaiting = true
    }

    /// A dispatch was reduced, or failed.
    @inline(__always)
    mutating func finishedDispatch() {
        underWay -= 1
    }

    /// A send was reduced, or failed, or does not count.
    ///
    /// - Returns: whether none is under way any more.
    @discardableResult
    mutating func finishedSend() -> Bool {
        underWay -= 1
        sendsUnderWay -= 1
        return sendsUnderWay == 0
    }

    /// A send could not be committed, but may be later. It stays before all that waits, after those that were postponed
    /// with it.
    ///
    /// - Returns: whether none is under way any more.
    mutating func postpone(_ send: Send) -> Bool {
        isStuck = true
        front.insert(send, at: postponed)
        hasWaiting = true
        postponed += 1
        return finishedSend()
    }

    /// There may be room on the disk again.
    mutating func unstick() {
        isStuck = false
    }

    /// Takes what may be submitted now, together and in this order. A send comes first or not at all; sends that may
    /// share its transaction follow it. If the line is stuck, only its dispatches are taken, because dispatches that
    /// arrive later pass it too.
    ///
    /// - Parameters:
    ///   - isLive: whether a send still counts; one that does not is dropped.
    ///   - mayShare: whether a send may be committed before it is known if it counts.
    mutating func next(isLive: (Send) -> Bool, mayShare: (Send) -> Bool) -> [Item] {
        guard !sendIsUnderWay, hasWaiting else { return [] }
        if isStuck { return takeDispatches() }
        var items: [Item] = []
        postponed = 0
        loop: while let item = first {
            switch item {
            case .dispatch:
                items.append(item)
            case .send(let send):
                guard isLive(send) else { break }
                let isFirst = items.isEmpty && underWay == 0
                guard isFirst || sendIsUnderWay && sendsUnderWay < Self.mostSends && mayShare(send) else { break loop }
                sendsUnderWay += 1
                items.append(item)
            }
            removeFirst()
        }
        noteWaiting()
        underWay += items.count
        return items
    }

    private var first: Item? { front.first.map(Item.send) ?? line.head }

    private mutating func removeFirst() {
        if !front.isEmpty {
            front.removeFirst()
        } else if let item = line.next(), item.isDispatch {
            dispatchesInLine -= 1
        }
    }

    private mutating func noteWaiting() { hasWaiting = !front.isEmpty || !line.isEmpty }

    private mutating func takeDispatches() -> [Item] {
        // While the line is stuck, further dispatches pass it, so it is searched once.
        guard dispatchesInLine > 0 else { return [] }
        var dispatches: [Item] = []
        var others = Line<Item>()
        while let item = line.next() {
            if item.isDispatch { dispatches.append(item) } else { others.add(item) }
        }
        (line, dispatchesInLine) = (others, 0)
        noteWaiting()
        underWay += dispatches.count
        return dispatches
    }

    /// Takes everything that waits, because it will not be submitted.
    mutating func takeAll() -> [Item] {
        var items: [Item] = []
        while let item = first {
            items.append(item)
            removeFirst()
        }
        hasWaiting = false
        return items
    }
}

extension AdmissionQueue.Item {
    fileprivate var isDispatch: Bool { if case .dispatch = self { true } else { false } }
}

extension AdmissionQueue.Item: Sendable where Dispatch: Sendable, Send: Sendable {}
