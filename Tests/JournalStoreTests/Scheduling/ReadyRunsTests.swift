import Testing
import TortureKit

@testable import JournalStore

@Suite struct `Scheduling, the ready runs of a queue` {
    /// Ready runs that an expectation can change. Their times are in seconds.
    private final class Ready {
        var runs = ReadyRuns()

        func set(_ ticket: Int, at second: Int?) { runs.set(ticket, at: second.map { .seconds($0) }) }
        func next(at second: Int) -> Int? { runs.next(at: .seconds(second)) }
        func nextTick() -> Duration? { runs.nextTick() }

        /// All tickets to visit. Those whose time has come start.
        func visit(at second: Int, due: (Int) -> Bool) -> [Int] {
            var visited: [Int] = []
            while let ticket = next(at: second) {
                visited.append(ticket)
                if due(ticket) { set(ticket, at: nil) }
            }
            return visited
        }
    }

    private let ready = Ready()

    @Test func `a run is visited when it becomes ready and when its time comes, and not in between`() {
        ready.set(1, at: 5)
        #expect(ready.next(at: 0) == 1)
        #expect(ready.next(at: 0) == nil)
        #expect(ready.nextTick() == .seconds(5))
        #expect(ready.next(at: 4) == nil)
        #expect(ready.next(at: 5) == 1)
    }

    @Test func `a run whose time has come stays the next one until it is not ready any more`() {
        ready.set(1, at: 0)
        ready.set(2, at: 0)
        #expect(ready.next(at: 0) == 1)
        #expect(ready.next(at: 0) == 1)
        ready.set(1, at: nil)
        #expect(ready.next(at: 0) == 2)
        ready.set(2, at: nil)
        #expect(ready.next(at: 0) == nil)
    }

    @Test func `runs are visited in the order of their tickets, whatever the order in which their times come`() {
        for (ticket, second) in [(3, 1), (1, 3), (2, 2)] { ready.set(ticket, at: second) }
        #expect(ready.visit(at: 0) { _ in false } == [1, 2, 3])
        #expect(ready.visit(at: 3) { _ in true } == [1, 2, 3])
        #expect(ready.nextTick() == nil)
    }

    @Test func `a run that gets another time is visited again, and at the new time only`() {
        ready.set(1, at: 5)
        _ = ready.next(at: 0)
        ready.set(1, at: 8)
        #expect(ready.visit(at: 1) { _ in false } == [1])
        #expect(ready.nextTick() == .seconds(8))
        #expect(ready.next(at: 7) == nil)
        #expect(ready.next(at: 8) == 1)
    }

    @Test func `runs that are not ready any more before their time leave nothing behind`() {
        for ticket in 1...10_000 {
            ready.set(ticket, at: 1_000)
            _ = ready.next(at: 0)
            ready.set(ticket, at: nil)
        }
        #expect(ready.runs.entryCount < 200)
        #expect(ready.nextTick() == nil)
    }

    @Test func `runs that end behind one that holds them up leave nothing behind`() {
        for ticket in 0...10_000 {
            ready.set(ticket, at: 0)
            #expect(ready.next(at: 0) == 0)
            if ticket > 0 { ready.set(ticket, at: nil) }
        }
        #expect(ready.runs.entryCount < 200)
        #expect(ready.runs.tickets == [0])
    }

    @Test(arguments: 1...20) func `each ready run is visited in order at its time`(_ seed: Int) {
        var random = SplitMix(seed: UInt64(seed))
        var times: [Int: Int] = [:]
        var new: Set<Int> = []
        var now = 0
        for ticket in 0..<500 {
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
                times[ticket] = now + Int.random(in: 0..<20, using: &random)
                new.insert(ticket)
                ready.set(ticket, at: times[ticket])
            case 2:
                guard let ticket = times.keys.sorted().randomElement(using: &random) else { continue }
                times[ticket] = nil
                new.remove(ticket)
                ready.set(ticket, at: nil)
            default: now += Int.random(in: 0..<3, using: &random)
            }
            if Bool.random(using: &random) { continue }
            let due = times.filter { $0.value <= now }.map(\.key)
            #expect(ready.visit(at: now) { due.contains($0) } == new.union(due).sorted())
            for ticket in due { times[ticket] = nil }
            new = []
            #expect(ready.runs.tickets == times.keys.sorted())
            #expect(ready.nextTick() == times.values.min().map { .seconds($0) })
        }
    }
}
