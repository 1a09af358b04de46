import Dispatch
import Testing
import TortureKit

@testable import JournalStore

@Suite struct `Pure, the mailbox` {
    /// A mailbox that an expectation can change: `#expect` cannot call the mutating methods of a value.
    private final class Post<Item> {
        private var mailbox = Mailbox<Item>()

        var isWorking: Bool { mailbox.isWorking }
        func add(_ item: Item, canWait: Bool = true) -> Bool { mailbox.add(item, canWait: canWait) }
        func stopIfEmpty() -> Bool { mailbox.stopIfEmpty() }
        func pause(until quorum: Int) -> Bool { mailbox.pause(until: quorum) }
        func resume(isLast: Bool = false) -> Mailbox<Item>.Return { mailbox.resume(isLast: isLast) }
        func next(fitting room: Int, size: (Item) -> Int) -> [Item]? { mailbox.next(fitting: room, size: size) }

        /// Takes all waiting items, portion by portion; stops at an empty portion, which would repeat endlessly.
        func drain(fitting room: Int, size: (Item) -> Int) -> [[Item]] {
            var portions: [[Item]] = []
            while let portion = next(fitting: room, size: size) {
                portions.append(portion)
                if portion.isEmpty { break }
            }
            return portions
        }
    }

    // MARK: The worker

    @Test func `the caller that adds to an idle mailbox becomes its only worker`() {
        let mailbox = Post<Int>()
        #expect(!mailbox.isWorking)
        #expect(mailbox.add(1))
        #expect(mailbox.isWorking)
        #expect(!mailbox.add(2))
        #expect(!mailbox.add(3))
    }

    @Test func `a caller that cannot wait becomes the worker in a pause, and the paused worker ends`() {
        let mailbox = Post<Int>()
        _ = mailbox.add(1)
        _ = mailbox.next(fitting: 9) { _ in 1 }
        #expect(mailbox.pause(until: 3))
        #expect(!mailbox.add(2))
        #expect(mailbox.add(3, canWait: false))
        #expect(mailbox.resume() == .othersWork)
    }

    @Test func `the worker does not pause while a caller waits that cannot`() {
        let mailbox = Post<Int>()
        _ = mailbox.add(1)
        _ = mailbox.next(fitting: 9) { _ in 1 }
        #expect(!mailbox.add(2, canWait: false))
        #expect(!mailbox.pause(until: 3))
        #expect(mailbox.isWorking)
        #expect(mailbox.next(fitting: 9) { _ in 1 } == [2])
        #expect(mailbox.pause(until: 3))
    }

    @Test func `the worker cannot stop while an item waits`() {
        let mailbox = Post<Int>()
        _ = mailbox.add(1)
        #expect(!mailbox.stopIfEmpty())
        #expect(mailbox.isWorking)
        #expect(!mailbox.add(2))
    }

    @Test func `the worker stays responsible after it took the last item, until it stops`() {
        let mailbox = Post<Int>()
        _ = mailbox.add(1)
        #expect(mailbox.next(fitting: 1) { _ in 1 } == [1])
        #expect(!mailbox.add(2))
        #expect(!mailbox.stopIfEmpty())
        #expect(mailbox.next(fitting: 1) { _ in 1 } == [2])
        #expect(mailbox.stopIfEmpty())
        #expect(!mailbox.isWorking)
    }

    @Test func `the next caller becomes the worker after the last one stopped`() {
        let mailbox = Post<Int>()
        _ = mailbox.add(1)
        _ = mailbox.next(fitting: 1) { _ in 1 }
        _ = mailbox.stopIfEmpty()
        #expect(mailbox.add(2))
    }

    // MARK: Pausing

    /// A mailbox whose worker paused until this many items wait.
    private func paused(until quorum: Int) -> Post<Int> {
        let mailbox = Post<Int>()
        _ = mailbox.add(0)
        _ = mailbox.next(fitting: 1) { _ in 1 }
        #expect(mailbox.pause(until: quorum))
        return mailbox
    }

    @Test func `the caller that completes the quorum of a paused worker becomes the only worker`() {
        let mailbox = paused(until: 3)
        #expect(!mailbox.add(1))
        #expect(!mailbox.add(2))
        #expect(!mailbox.isWorking)
        #expect(mailbox.add(3))
        #expect(!mailbox.add(4))
        #expect(mailbox.resume() == .othersWork)
        #expect(mailbox.next(fitting: 9) { _ in 1 } == [1, 2, 3, 4])
        #expect(mailbox.stopIfEmpty())
        #expect(mailbox.add(5))
    }

    @Test func `the worker does not pause if the quorum waits already`() {
        let mailbox = Post<Int>()
        for number in 1...3 { _ = mailbox.add(number) }
        #expect(mailbox.next(fitting: 1) { _ in 1 } == [1])
        #expect(!mailbox.pause(until: 2))
        #expect(mailbox.isWorking)
    }

    @Test func `a worker that resumes goes on with fewer items than the quorum`() {
        let mailbox = paused(until: 3)
        _ = mailbox.add(1)
        #expect(mailbox.resume() == .goOn)
        #expect(mailbox.isWorking)
        #expect(mailbox.next(fitting: 9) { _ in 1 } == [1])
        #expect(mailbox.stopIfEmpty())
        #expect(mailbox.add(2))
    }

    @Test func `the quorum applies until the worker resumes for the last time`() {
        let mailbox = paused(until: 3)
        #expect(mailbox.resume() == .nothingWaits)
        #expect(!mailbox.add(1))
        #expect(mailbox.resume() == .goOn)
        _ = mailbox.next(fitting: 9) { _ in 1 }
        #expect(mailbox.pause(until: 3))
        #expect(mailbox.resume(isLast: true) == .nothingWaits)
        #expect(mailbox.add(2))
    }

    @Test func `the first of two paused workers to resume goes on, and the other has nothing to do`() {
        let mailbox = paused(until: 2)
        _ = mailbox.add(1)
        #expect(mailbox.add(2))
        _ = mailbox.next(fitting: 9) { _ in 1 }
        #expect(mailbox.pause(until: 2))
        _ = mailbox.add(3)
        #expect(mailbox.resume() == .goOn)
        #expect(mailbox.resume() == .othersWork)
    }

    // MARK: Portions

    /// Items, each of them its own size, and the portions in which they are taken.
    struct Case: CustomTestStringConvertible {
        var testDescription: String
        var items: [Int]
        var room: Int
        var portions: [[Int]]
    }

    @Test(arguments: [
        Case(testDescription: "no items", items: [], room: 9, portions: []),
        Case(testDescription: "all items fit", items: [1, 2, 3], room: 9, portions: [[1, 2, 3]]),
        Case(testDescription: "all items just fit", items: [1, 2, 3], room: 6, portions: [[1, 2, 3]]),
        Case(testDescription: "all items but one fit", items: [1, 2, 3], room: 5, portions: [[1, 2], [3]]),
        Case(testDescription: "one at a time", items: [3, 3, 3], room: 5, portions: [[3], [3], [3]]),
        Case(testDescription: "an item larger than the room", items: [9], room: 5, portions: [[9]]),
        Case(testDescription: "a larger item after others", items: [1, 9, 1], room: 5, portions: [[1], [9], [1]]),
        Case(testDescription: "a smaller one does not overtake", items: [4, 4, 1], room: 5, portions: [[4], [4, 1]]),
        Case(
            testDescription: "empty ones need no room", items: [0, 5, 0, 0, 1], room: 5, portions: [[0, 5, 0, 0], [1]]),
        Case(testDescription: "no room at all", items: [1, 1], room: 0, portions: [[1], [1]]),
    ])
    func `a portion has as many items as fit, in the order of arrival, and at least one`(_ test: Case) {
        let mailbox = Post<Int>()
        for item in test.items { _ = mailbox.add(item) }
        #expect(mailbox.drain(fitting: test.room) { $0 } == test.portions)
        #expect(mailbox.stopIfEmpty())
    }

    // MARK: Any interleaving

    private struct Item: Hashable {
        var number: Int
        var size: Int
    }

    @Test(arguments: 1...10) func `no sequence of calls loses an item, repeats one or allows two workers`(_ seed: Int) {
        var random = SplitMix(seed: UInt64(seed))
        for _ in 0..<5 {
            let room = Int.random(in: 0...6, using: &random)
            let mailbox = Post<Item>()
            var waiting: [Item] = []
            var isWorking = false
            var quorum = 1
            var added = 0
            var left: [Int] = []
            for _ in 0..<300 {
                switch Int.random(in: 0..<7, using: &random) {
                case 0...1:
                    let item = Item(number: added, size: Int.random(in: 0...4, using: &random))
                    added += 1
                    waiting.append(item)
                    let begins = !isWorking && waiting.count >= quorum
                    #expect(mailbox.add(item) == begins)
                    isWorking = isWorking || begins
                    if begins { quorum = 1 }
                case 2...3 where isWorking:
                    guard let portion = mailbox.next(fitting: room, size: { $0.size }) else {
                        #expect(waiting.isEmpty)
                        continue
                    }
                    let total = portion.reduce(0) { $0 + $1.size }
                    #expect(!portion.isEmpty && (total <= room || portion.count == 1))
                    #expect(portion[...] == waiting.prefix(portion.count))
                    waiting.removeFirst(min(portion.count, waiting.count))
                    if let following = waiting.first { #expect(total + following.size > room) }
                    left += portion.map(\.number)
                case 4 where isWorking:
                    #expect(mailbox.stopIfEmpty() == waiting.isEmpty)
                    isWorking = !waiting.isEmpty
                case 5 where isWorking:
                    let wanted = Int.random(in: 1...4, using: &random)
                    #expect(mailbox.pause(until: wanted) == (waiting.count < wanted))
                    if waiting.count < wanted { (isWorking, quorum) = (false, wanted) }
                case 6:
                    let isLast = Bool.random(using: &random)
                    let expected: Mailbox<Item>.Return =
                        isWorking ? .othersWork : waiting.isEmpty ? .nothingWaits : .goOn
                    #expect(mailbox.resume(isLast: isLast) == expected)
                    if expected == .goOn { isWorking = true }
                    if expected == .goOn || expected == .nothingWaits && isLast { quorum = 1 }
                default: break
                }
                #expect(mailbox.isWorking == isWorking)
            }
            left += mailbox.drain(fitting: room) { $0.size }.joined().map(\.number)
            #expect(left == Array(0..<added))
        }
    }

    @Test func `concurrent callers lose no item and never work at the same time`() {
        struct Work {
            var mailbox = Mailbox<Int>()
            var workers = 0
            var mostWorkers = 0
            var done: [Int] = []
        }
        let work = Lock(Work())
        let threads = 8
        let each = 500
        DispatchQueue.concurrentPerform(iterations: threads) { thread in
            for number in 0..<each {
                guard work.withLock({ $0.mailbox.add(thread * each + number) }) else { continue }
                work.withLock {
                    $0.workers += 1
                    $0.mostWorkers = max($0.mostWorkers, $0.workers)
                }
                while true {
                    if let portion = work.withLock({ $0.mailbox.next(fitting: 3) { _ in 1 } }) {
                        work.withLock { $0.done += portion }
                        continue
                    }
                    let stopped = work.withLock { work in
                        // Before it stops: afterwards the next worker may have started.
                        work.workers -= 1
                        if work.mailbox.stopIfEmpty() { return true }
                        work.workers += 1
                        return false
                    }
                    if stopped { break }
                }
            }
        }
        let done = work.withLock { $0 }
        #expect(done.mostWorkers == 1)
        #expect(done.done.sorted() == Array(0..<threads * each))
        for thread in 0..<threads {
            let own = done.done.filter { $0 / each == thread }
            #expect(own == own.sorted())
        }
        #expect(!done.mailbox.isWorking)
    }
}
