/// A priority queue of items by the tick at which they are due: a time of any clock.
/// Obsolete items stay in it, so the caller must check each item that it pops, and remove the obsolete ones now and
/// then.
struct WakeQueue<Item: Hashable & Sendable, Tick: Hashable & Comparable & Sendable>: Sendable {
    private struct Entry: Comparable, Sendable {
        var tick: Tick
        /// Of two items at the same tick the one that was added first is first.
        var order: Int
        var item: Item

        static func < (left: Entry, right: Entry) -> Bool { (left.tick, left.order) < (right.tick, right.order) }

        struct Wish: Hashable {
            var tick: Tick
            var item: Item
        }
    }

    private var heap = Heap<Entry>()
    private var added = 0

    /// When the next item is due.
    var next: Tick? { heap.least?.tick }
    var count: Int { heap.count }

    /// Removes the items for which a condition does not hold. Of equal items at one tick the first is kept.
    mutating func keep(where isCurrent: (Item, Tick) -> Bool) {
        var seen: Set<Entry.Wish> = []
        heap.keep {
            isCurrent($0.item, $0.tick) && seen.insert(Entry.Wish(tick: $0.tick, item: $0.item)).inserted
        }
    }

    mutating func add(_ item: Item, at tick: Tick) {
        heap.insert(Entry(tick: tick, order: added, item: item))
        added += 1
    }

    /// Removes and returns the earliest item, if it is due at a tick.
    mutating func pop(until tick: Tick) -> Item? {
        guard let first = heap.least, first.tick <= tick else { return nil }
        heap.removeLeast()
        return first.item
    }
}
