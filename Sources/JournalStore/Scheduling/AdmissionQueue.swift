/// Decides which entries of a stream may be submitted to the writer now.
///
/// Dispatches pass at once. An action of an effect waits until every earlier entry of its stream is reduced, because one of them may
/// cancel the effect. Dispatches that arrive meanwhile wait after it, or it would wait for ever.
struct AdmissionQueue<Dispatch, Send> {
    enum Item {
        case dispatch(Dispatch)
        case send(Send)
    }

    /// Submissions that are not reduced yet.
    private var underWay = 0
    private(set) var sendIsUnderWay = false
    /// A send met a full disk. Dispatches pass it, which shows whether there is room again.
    private(set) var isStuck = false
    private var line: [Item] = [] {
        didSet { hasWaiting = !line.isEmpty }
    }
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
        line.append(.dispatch(dispatch))
    }

    mutating func add(_ send: Send) {
        line.append(.send(send))
    }

    /// A dispatch was reduced, or failed.
    @inline(__always)
    mutating func finishedDispatch() {
        underWay -= 1
    }

    /// A send was reduced, or failed.
    mutating func finishedSend() {
        underWay -= 1
        sendIsUnderWay = false
    }

    /// A send could not be committed, but may be later. It stays the first.
    mutating func postpone(_ send: Send) {
        finishedSend()
        isStuck = true
        line.insert(.send(send), at: 0)
    }

    /// There may be room on the disk again.
    mutating func unstick() {
        isStuck = false
    }

    /// Takes what may be submitted now, together and in this order: at most one send, and that first. Of a line that is stuck, the
    /// dispatches, as those that arrive later pass it too.
    ///
    /// - Parameter isLive: whether a send still counts; one that does not is dropped.
    mutating func next(_ isLive: (Send) -> Bool) -> [Item] {
        guard !sendIsUnderWay, hasWaiting else { return [] }
        if isStuck { return takeDispatches() }
        var taken = 0
        var items: [Item] = []
        loop: for item in line {
            switch item {
            case .dispatch:
                items.append(item)
            case .send(let send):
                guard isLive(send) else { break }
                guard items.isEmpty, underWay == 0 else { break loop }
                sendIsUnderWay = true
                items.append(item)
            }
            taken += 1
        }
        line.removeFirst(taken)
        underWay += items.count
        return items
    }

    private mutating func takeDispatches() -> [Item] {
        let dispatches = line.filter(\.isDispatch)
        if !dispatches.isEmpty { line.removeAll(where: \.isDispatch) }
        underWay += dispatches.count
        return dispatches
    }

    /// Takes everything that waits, because it will not be submitted.
    mutating func takeAll() -> [Item] {
        defer { line = [] }
        return line
    }
}

extension AdmissionQueue.Item {
    fileprivate var isDispatch: Bool { if case .dispatch = self { true } else { false } }
}

extension AdmissionQueue.Item: Sendable where Dispatch: Sendable, Send: Sendable {}
