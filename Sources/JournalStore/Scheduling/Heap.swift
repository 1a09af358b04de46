/// A priority queue: a binary heap with the least element at the top.
struct Heap<Element: Comparable & Sendable>: Sendable {
    private var elements: [Element] = []

    var least: Element? { elements.first }
    var count: Int { elements.count }

    mutating func insert(_ element: Element) {
        elements.append(element)
        var index = elements.count - 1
        while index > 0, elements[index] < elements[(index - 1) / 2] {
            elements.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    mutating func removeLeast() {
        guard !elements.isEmpty else { return }
        elements.swapAt(0, elements.count - 1)
        elements.removeLast()
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2]
            where child < elements.count && elements[child] < elements[least] {
                least = child
            }
            if least == index { return }
            elements.swapAt(index, least)
            index = least
        }
    }

    /// Keeps the elements that meet a condition, and of equal ones one. They are passed in ascending order.
    mutating func keep(where condition: (Element) -> Bool) {
        // A sorted list is a heap.
        var kept: [Element] = []
        for element in elements.sorted() where kept.last != element && condition(element) { kept.append(element) }
        elements = kept
    }
}
