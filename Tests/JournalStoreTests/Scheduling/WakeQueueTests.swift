import Testing
import TortureKit

@testable import JournalStore

@Suite struct `Scheduling, the wake queue` {
    /// A queue that an expectation can change.
    private final class Wakes {
        var queue = WakeQueue<Int, Duration>()
        func pop(until second: Int) -> Int? { queue.pop(until: .seconds(second)) }
    }

    @Test func `an empty queue has nothing due`() {
        let wakes = Wakes()
        #expect(wakes.queue.next == nil)
        #expect(wakes.pop(until: 99) == nil)
    }

    @Test func `an item is returned only when it is due, and is removed then`() {
        let wakes = Wakes()
        wakes.queue.add(1, at: .seconds(5))
        #expect(wakes.queue.next == .seconds(5))
        #expect(wakes.pop(until: 4) == nil)
        #expect(wakes.pop(until: 5) == 1)
        #expect(wakes.queue.next == nil)
        #expect(wakes.pop(until: 5) == nil)
    }

    @Test func `items that are due at the same time are returned in the order of arrival`() {
        let wakes = Wakes()
        for number in 1...50 { wakes.queue.add(number, at: .seconds(5)) }
        #expect((1...50).map { _ in wakes.pop(until: 5) } == Array(1...50))
    }

    @Test func `items that are not current any more can be removed, and equal ones are kept once`() {
        let wakes = Wakes()
        for number in 1...100 { wakes.queue.add(number % 10, at: .seconds(1 + number % 10)) }
        wakes.queue.keep { item, tick in item.isMultiple(of: 2) && tick == .seconds(1 + item) }
        #expect(wakes.queue.count == 5)
        #expect((0..<6).map { _ in wakes.pop(until: 99) } == [0, 2, 4, 6, 8, nil])
    }

    @Test(arguments: 1...20) func `a wake queue returns what a sorted list would`(_ seed: Int) {
        var random = SplitMix(seed: UInt64(seed))
        let wakes = Wakes()
        var list: [(second: Int, number: Int)] = []
        for number in 0..<500 {
            if Int.random(in: 0..<5, using: &random) < 3 {
                let second = Int.random(in: 0..<40, using: &random)
                wakes.queue.add(number, at: .seconds(second))
                let place = list.lastIndex { $0.second <= second }.map { $0 + 1 } ?? 0
                list.insert((second, number), at: place)
            } else {
                let until = Int.random(in: 0..<40, using: &random)
                let isDue = list.first.map { $0.second <= until } ?? false
                #expect(wakes.pop(until: until) == (isDue ? list.removeFirst().number : nil))
            }
            #expect(wakes.queue.next == list.first.map { .seconds($0.second) })
        }
        #expect(list.map { _ in wakes.pop(until: 99) } == list.map(\.number))
    }
}
