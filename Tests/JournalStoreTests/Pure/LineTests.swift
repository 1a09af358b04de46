import Testing

@testable import JournalStore

@Suite struct `A line` {
    private final class Item {}

    @Test func `items are taken in the order in which they came, whatever was taken before`() {
        var line = Line<Int>()
        var (added, taken) = (0, 0)
        for round in 0..<300 {
            line.add(contentsOf: added..<added + round % 7)
            added += round % 7
            for _ in 0..<(round % 5) {
                #expect(line.head == (line.isEmpty ? nil : taken))
                guard let item = line.next() else { break }
                #expect(item == taken)
                taken += 1
            }
            #expect(line.count == added - taken)
        }
        while let item = line.next() {
            #expect(item == taken)
            taken += 1
        }
        #expect(taken == added)
        #expect(line.isEmpty)
    }

    @Test func `a line keeps nothing that was taken`() {
        var line = Line<Item>()
        weak var first: Item?
        do {
            let item = Item()
            first = item
            line.add(item)
        }
        line.add(Item())
        _ = line.next()
        #expect(first == nil)
        #expect(line.count == 1)
    }
}
