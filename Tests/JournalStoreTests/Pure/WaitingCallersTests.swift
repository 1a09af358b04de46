import Testing

@testable import JournalStore

@Suite struct `Waiting callers` {
    private final class Caller: Sendable {
        let number: Int
        init(_ number: Int) { self.number = number }
    }

    private func waiting(_ callers: [Caller]) -> WaitingCallers<Caller> {
        var waiting = WaitingCallers<Caller>()
        for caller in callers { waiting.add(caller) }
        return waiting
    }

    @Test func `callers are asked in the order in which they came`() {
        var waiting = waiting((0..<6).map(Caller.init))
        var asked: [Int] = []
        waiting.removeAll { caller in
            asked.append(caller.number)
            return caller.number.isMultiple(of: 2)
        }
        #expect(asked == [0, 1, 2, 3, 4, 5])
        #expect(waiting.count == 3)
        let rest = waiting.takeAll()
        #expect(rest.map(\.number) == [1, 3, 5])
        #expect(waiting.isEmpty)
    }

    @Test func `one that has left is not asked, and is not there again`() {
        let callers = (0..<4).map(Caller.init)
        var waiting = waiting(callers)
        let left = [waiting.leave(callers[1]), waiting.leave(callers[1])]
        #expect(left == [true, false])
        #expect(!waiting.contains(callers[1]))
        #expect(waiting.contains(callers[2]))
        var asked: [Int] = []
        waiting.removeAll { caller in
            asked.append(caller.number)
            return caller.number == 2
        }
        #expect(asked == [0, 2, 3])
        let wasThere = waiting.leave(callers[2])
        #expect(!wasThere)
        waiting.add(callers[1])
        let rest = waiting.takeAll()
        #expect(rest.map(\.number) == [0, 3, 1])
    }

    @Test(arguments: [false, true]) func `to leave costs the same however many callers wait`(isReversed: Bool) {
        let callers = (0..<10_000).map(Caller.init)
        var waiting = waiting(callers)
        for caller in isReversed ? callers.reversed() : callers { waiting.leave(caller) }
        #expect(waiting.isEmpty)
        // The list is looked at when half of it has left, then when half of the rest has.
        #expect(waiting.visits < 3 * callers.count)
    }

    @Test func `one that has left is released`() {
        var waiting = waiting([])
        weak var first: Caller?
        do {
            let caller = Caller(0)
            first = caller
            waiting.add(caller)
            waiting.leave(caller)
        }
        for number in 1...64 {
            let caller = Caller(number)
            waiting.add(caller)
            waiting.leave(caller)
        }
        #expect(first == nil)
    }
}
