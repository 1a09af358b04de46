/// A line of items that are taken in the order in which they were added.
///
/// To take one costs the same however long the line is.
struct Line<Item> {
    /// Nil for those that were taken: the line must not keep what they refer to.
    private var items: [Item?] = []
    /// Those before it have been taken.
    private var first = 0

    var count: Int { items.count - first }
    var isEmpty: Bool { first == items.count }
    /// The next item, which stays in the line.
    var head: Item? { isEmpty ? nil : items[first] }

    mutating func add(_ item: Item) { items.append(item) }

    mutating func add(contentsOf items: some Sequence<Item>) { for item in items { add(item) } }

    mutating func next() -> Item? {
        guard first < items.count else { return nil }
        defer {
            first += 1
            if first == items.count {
                items.removeAll(keepingCapacity: first <= 1_024)
                first = 0
            } else if first >= 64, first * 2 > items.count {
                items.removeFirst(first)
                first = 0
            }
        }
        return items[first].take()
    }
}

extension Line: Sendable where Item: Sendable {}
