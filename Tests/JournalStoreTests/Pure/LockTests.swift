import Dispatch
import Testing

@testable import JournalStore

@Suite struct `Pure, the lock` {
    @Test func `a lock lets one thread at a time change the value`() {
        let count = Lock(0)
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<20_000 { count.withLock { $0 += 1 } }
        }
        #expect(count.withLock { $0 } == 160_000)
    }

    @Test func `a lock never shows a change that is half done`() {
        let pair = Lock((left: 0, right: 0))
        let torn = Lock(0)
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            for _ in 0..<20_000 {
                let isTorn = pair.withLock { pair in
                    defer { pair = (pair.left + 1, pair.right + 1) }
                    return pair.left != pair.right
                }
                if isTorn { torn.withLock { $0 += 1 } }
            }
        }
        #expect(torn.withLock { $0 } == 0)
    }

    @Test func `a lock is released after an error`() {
        struct Stop: Error {}
        let value = Lock(1)
        #expect(throws: Stop.self) {
            try value.withLock { value throws(Stop) in
                value = 2
                throw Stop()
            }
        }
        #expect(value.withLock { $0 } == 2)
    }

    @Test func `a lock releases its value when it is deallocated`() {
        final class Thing: Sendable {}
        weak var thing: Thing?
        do {
            let lock = Lock(Thing())
            thing = lock.withLock { $0 }
            #expect(thing != nil)
        }
        #expect(thing == nil)
    }
}
