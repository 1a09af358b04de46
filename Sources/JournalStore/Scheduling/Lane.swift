/// Which entries of a stream may be handed to the journal now.
///
/// What the app dispatches goes straight through. What an effect sends waits until every earlier entry of its stream is
/// reduced, as one of them may cancel it; and what is dispatched meanwhile waits behind it, or it would wait for ever.
struct Lane<Dispatch, Send> {
    enum Item {
        case dispatch(Dispatch)
        case send(Send)
    }

    /// Entries that were handed in and are not reduced yet, counted by what they were handed in with.
    private var underWay = 0
    private(set) var sendIsUnderWay = false
    /// A send met a full disk. Others are let by, to find out whether there is room again.
    private(set) var isStuck = false
    private var line: [Item] = [] {
        didSet { somebodyWaits = !line.isEmpty }
    }
    /// Whether there may be something to hand in. Kept: the list itself is slow to ask, as its type depends on the machine.
    private(set) var somebodyWaits = false

    /// Whether nothing is under way and nothing waits.
    var isIdle: Bool { underWay == 0 && !somebodyWaits }

    /// - Returns: whether a dispatch is to be handed in now. If not, it has to wait.
    @inline(__always)
    mutating func pass() -> Bool {
        guard isStuck || !somebodyWaits && !sendIsUnderWay else { return false }
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

    /// There may be room again.
    mutating func unstick() {
        isStuck = false
    }

    /// What may be handed in now, together and in this order: at most one send, as the first.
    ///
    /// - Parameter isWanted: whether a send is still to be heard; one that is not is dropped.
    mutating func next(_ isWanted: (Send) -> Bool) -> [Item] {
        guard !isStuck, !sendIsUnderWay, somebodyWaits else { return [] }
        var taken = 0
        var items: [Item] = []
        loop: for item in line {
            switch item {
            case .dispatch:
                items.append(item)
            case .send(let send):
                guard isWanted(send) else { break }
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

    /// All that waits, to be told that nothing comes of it.
    mutating func takeAll() -> [Item] {
        defer { line = [] }
        return line
    }
}

extension Lane.Item: Sendable where Dispatch: Sendable, Send: Sendable {}
