/// A priority queue of items by the time at which they are due: a heap with the earliest item at the top.
/// Obsolete items stay in it, so the caller must check each item that it pops, and remove the obsolete ones now and then.
struct WakeQueue<Item: Hashable & Sendable>: Sendable {
    private struct Entry: Sendable {
        var tick: Duration
        /// Of two items at the same tick the one that was added first is first.
        var order: Int
        var item: Item

        func isBefore(_ other: Entry) -> Bool { (tick, order) < (other.tick, other.order) }

        struct Wish: Hashable {
            var tick: Duration
            var item: Item
        }
    }

    private var heap: [Entry] = []
    private var added = 0

    /// When the next item is due.
    var next: Duration? { heap.first?.tick }
    var count: Int { heap.count }

    /// Removes the items for which a condition does not hold. Of equal items at one tick the first is kept.
    mutating func keep(where isCurrent: (Item, Duration) -> Bool) {
        var seen: Set<Entry.Wish> = []
        // A sorted list is a heap.
        heap = heap.filter { isCurrent($0.item, $0.tick) }.sorted { $0.isBefore($1) }.filter {
            seen.insert(Entry.Wish(tick: $0.tick, item: $0.item)).inserted
        }
    }

    mutating func add(_ item: Item, at tick: Duration) {
        heap.append(Entry(tick: tick, order: added, item: item))
        added += 1
        var index = heap.count - 1
        while index > 0, heap[index].isBefore(heap[(index - 1) / 2]) {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    /// Removes and returns the earliest item, if it is due at a tick.
    mutating func pop(until tick: Duration) -> Item? {
        guard let first = heap.first, first.tick <= tick else { return nil }
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2] where child < heap.count && heap[child].isBefore(heap[least]) {
                least = child
            }
            if least == index { return first.item }
            heap.swapAt(index, least)
            index = least
        }
    }
}
