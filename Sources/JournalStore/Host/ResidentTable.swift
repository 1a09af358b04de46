/// The streams of a host: which are open, which are being opened or closed, and which is closed next.
///
/// The streams that are open form a list, the one used last at its end. A store that is referenced elsewhere is in use
/// and is not closed.
struct ResidentTable<Store: AnyObject & Sendable>: Sendable {
    typealias Waiter = @Sendable (Result<Store, JournalError>) -> Void

    /// What a call has to do for a store.
    enum Demand: Sendable {
        case ready(Store, isToMeasure: Bool)
        /// The caller opens the stream.
        case open
        /// Another call opens or closes it.
        case wait
    }

    /// A stream that is to be closed.
    struct Taken: Sendable {
        let name: String
        let store: Store
        fileprivate let size: Size
    }

    /// The length of a state, and when it is measured again.
    fileprivate struct Size: Sendable {
        /// The length when it was measured last.
        var bytes = 0
        /// How many more calls may pass until it is measured again.
        var callsToMeasure: Int32 = 0
        var measurements: Int32 = 0
    }

    private enum Slot: Sendable {
        case opening
        /// At an index of ``residents``. A process can have many of them, so the numbers are small.
        case open(Int32)
        case closing
    }

    private struct Resident: Sendable {
        var name: String
        var store: Store?
        var size = Size()
        var before: Int32 = -1
        var after: Int32 = -1
    }

    private var slots: [ByteName: Slot] = [:]
    /// The calls that wait for streams that are being opened or closed.
    private var waiters: [ByteName: [Waiter]] = [:]
    private var residents: [Resident] = []
    private var free: [Int32] = []
    private var first: Int32 = -1
    private var last: Int32 = -1
    /// How many streams are open.
    private(set) var openCount = 0
    /// The length of their states.
    private(set) var stateBytes = 0

    /// How many streams are being opened or closed.
    var underWay: Int { slots.count - openCount }
    var isEmpty: Bool { slots.isEmpty }

    // MARK: Opening

    /// - Parameter isUsable: whether a store can still be used. If not, the stream is opened again.
    mutating func demand(_ name: String, isUsable: (Store) -> Bool) -> Demand {
        let key = ByteName(name)
        switch slots[key] {
        case .open(let index):
            guard let store = residents[Int(index)].store, isUsable(store) else {
                _ = remove(index)
                slots[key] = .opening
                return .open
            }
            if index != last {
                unlink(index)
                append(index)
            }
            return .ready(store, isToMeasure: residents[Int(index)].size.countCall())
        case .opening, .closing: return .wait
        case nil:
            slots[key] = .opening
            return .open
        }
    }

    /// Waits for a stream that is being opened or closed.
    ///
    /// - Returns: whether it still is. If not, the caller asks again.
    mutating func wait(for name: String, _ waiter: @escaping Waiter) -> Bool {
        let key = ByteName(name)
        switch slots[key] {
        case .opening, .closing: waiters[key, default: []].append(waiter)
        case .open, nil: return false
        }
        return true
    }

    /// A stream was opened.
    ///
    /// - Returns: the calls that wait for it.
    mutating func opened(_ name: String, _ store: Store, stateBytes bytes: Int) -> [Waiter] {
        measured(add(name, store, Size()), bytes)
        return takeWaiters(for: name)
    }

    /// Adds an open stream, the last of the list.
    private mutating func add(_ name: String, _ store: Store, _ size: Size) -> Int32 {
        let resident = Resident(name: name, store: store, size: size)
        let index = free.popLast() ?? Int32(residents.count)
        if index == residents.count { residents.append(resident) } else { residents[Int(index)] = resident }
        append(index)
        slots[ByteName(name)] = .open(index)
        openCount += 1
        stateBytes += size.bytes
        return index
    }

    private mutating func takeWaiters(for name: String) -> [Waiter] {
        waiters.removeValue(forKey: ByteName(name)) ?? []
    }

    /// The state of a stream was measured.
    mutating func measured(_ name: String, stateBytes bytes: Int) {
        if case .open(let index) = slots[ByteName(name)] { measured(index, bytes) }
    }

    private mutating func measured(_ index: Int32, _ bytes: Int) {
        stateBytes += bytes - residents[Int(index)].size.bytes
        residents[Int(index)].size.measured(bytes)
    }

    /// Whether to measure the state of a stream after a call.
    func isToMeasure(_ name: String) -> Bool {
        if case .open(let index) = slots[ByteName(name)] {
            residents[Int(index)].size.callsToMeasure <= 0
        } else {
            false
        }
    }

    /// A stream could not be opened.
    ///
    /// - Returns: the calls that wait for it.
    mutating func failed(_ name: String) -> [Waiter] {
        slots[ByteName(name)] = nil
        return takeWaiters(for: name)
    }

    // MARK: Closing

    /// Takes streams to close until the others are within the limits: those that were not used for longest, and only if
    /// their stores are referenced nowhere else.
    ///
    /// - Parameters:
    ///   - count: how many streams may be open.
    ///   - bytes: how long their states may be; nil for any length.
    ///   - most: the most streams to take.
    mutating func takeIdle(count: Int, bytes: Int?, most: Int) -> [Taken] {
        var taken: [Taken] = []
        var index = first
        // Those in use are passed over, at most so many of them, so that a call does not look at all streams.
        var lookAt = 2 * most
        while index >= 0, taken.count < most, lookAt > 0, openCount > count || stateBytes > bytes ?? .max {
            let next = residents[Int(index)].after
            lookAt -= 1
            if isKnownUniquelyReferenced(&residents[Int(index)].store) {
                if let resident = take(index) { taken.append(resident) }
            } else {
                unlink(index)
                append(index)
            }
            index = next
        }
        return taken
    }

    /// The stores of all streams that are open.
    var openStores: [Store] { residents.compactMap(\.store) }

    /// Takes all streams that are open, to close them.
    mutating func takeAll() -> [Taken] {
        var taken: [Taken] = []
        while first >= 0 {
            if let resident = take(first) { taken.append(resident) }
        }
        return taken
    }

    private mutating func take(_ index: Int32) -> Taken? {
        let (name, size) = (residents[Int(index)].name, residents[Int(index)].size)
        guard let store = remove(index) else { return nil }
        slots[ByteName(name)] = .closing
        return Taken(name: name, store: store, size: size)
    }

    /// A stream was closed.
    ///
    /// - Returns: whether calls wait for it. If so, it is being opened from now on.
    mutating func closed(_ name: String) -> Bool {
        let key = ByteName(name)
        let isWanted = waiters[key] != nil
        slots[key] = isWanted ? .opening : nil
        return isWanted
    }

    /// A stream that was to be closed is still in use.
    ///
    /// - Returns: the calls that wait for it.
    mutating func stayed(_ resident: Taken) -> [Waiter] {
        _ = add(resident.name, resident.store, resident.size)
        return takeWaiters(for: resident.name)
    }

    // MARK: The list

    private mutating func append(_ index: Int32) {
        residents[Int(index)].before = last
        residents[Int(index)].after = -1
        if last >= 0 { residents[Int(last)].after = index } else { first = index }
        last = index
    }

    private mutating func unlink(_ index: Int32) {
        let (before, after) = (residents[Int(index)].before, residents[Int(index)].after)
        if before >= 0 { residents[Int(before)].after = after } else { first = after }
        if after >= 0 { residents[Int(after)].before = before } else { last = before }
    }

    private mutating func remove(_ index: Int32) -> Store? {
        unlink(index)
        let store = residents[Int(index)].store
        stateBytes -= residents[Int(index)].size.bytes
        residents[Int(index)] = Resident(name: "")
        free.append(index)
        openCount -= 1
        return store
    }
}

extension ResidentTable.Size {
    /// - Returns: whether the state is to be measured.
    fileprivate mutating func countCall() -> Bool {
        callsToMeasure = max(-1, callsToMeasure - 1)
        return callsToMeasure < 0
    }

    fileprivate mutating func measured(_ bytes: Int) {
        self.bytes = bytes
        // So that measuring costs each call about the same, however long the state is; but a new state grows fast.
        let early = measurements == 0 ? 0 : 1 << Int(measurements - 1)
        callsToMeasure = Int32(min(early, max(100, bytes / 100)))
        measurements = min(31, measurements + 1)
    }
}
