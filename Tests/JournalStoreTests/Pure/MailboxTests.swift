import Dispatch
import Testing
import TortureKit

@testable import JournalStore

@Suite struct `Pure, the mailbox` {
    /// A mailbox that an expectation can change: `#expect` calls nothing that mutates a value.
    private final class Post<Item> {
        private var mailbox = Mailbox<Item>()

        var isWorking: Bool { mailbox.isWorking }
        func add(_ item: Item) -> Bool { mailbox.add(item) }
        func stopIfEmpty() -> Bool { mailbox.stopIfEmpty() }
        func pause(until quorum: Int) -> Bool { mailbox.pause(until: quorum) }
        func resume(isLast: Bool = false) -> Mailbox<Item>.Return { mailbox.resume(isLast: isLast) }
        func next(fitting room: Int, size: (Item) -> Int) -> [Item]? { mailbox.next(fitting: room, size: size) }

        /// All that waits, portion by portion; ends at an empty one, of which there would be no end.
        func drain(fitting room: Int, size: (Item) -> Int) -> [[Item]] {
            var portions: [[Item]] = []
            while let portion = next(fitting: room, size: size) {
                portions.append(portion)
                if portion.isEmpty { break }
            }
            return portions
        }
    }

    // MARK: Who works

    @Test func `whoever finds it idle is the one to work, and nobody else`() {
        let mailbox = Post<Int>()
        #expect(!mailbox.isWorking)
        #expect(mailbox.add(1))
        #expect(mailbox.isWorking)
        #expect(!mailbox.add(2))
        #expect(!mailbox.add(3))
    }

    @Test func `the work does not end while something waits`() {
        let mailbox = Post<Int>()
        _ = mailbox.add(1)
        #expect(!mailbox.stopIfEmpty())
        #expect(mailbox.isWorking)
        #expect(!mailbox.add(2))
    }

    @Test func `what was taken out does not wait, but the work goes on until it is stopped`() {
        let mailbox = Post<Int>()
        _ = mailbox.add(1)
        #expect(mailbox.next(fitting: 1) { _ in 1 } == [1])
        #expect(!mailbox.add(2))
        #expect(!mailbox.stopIfEmpty())
        #expect(mailbox.next(fitting: 1) { _ in 1 } == [2])
        #expect(mailbox.stopIfEmpty())
        #expect(!mailbox.isWorking)
    }

    @Test func `after the end the next to arrive begins anew`() {
        let mailbox = Post<Int>()
        _ = mailbox.add(1)
        _ = mailbox.next(fitting: 1) { _ in 1 }
        _ = mailbox.stopIfEmpty()
        #expect(mailbox.add(2))
    }

    // MARK: Who gives way

    /// One that works, and waits for so many.
    private func paused(until quorum: Int) -> Post<Int> {
        let mailbox = Post<Int>()
        _ = mailbox.add(0)
        _ = mailbox.next(fitting: 1) { _ in 1 }
        #expect(mailbox.pause(until: quorum))
        return mailbox
    }

    @Test func `while one gives way, whoever brings enough together is the one to work, and nobody else`() {
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

    @Test func `it does not give way where enough wait already`() {
        let mailbox = Post<Int>()
        for number in 1...3 { _ = mailbox.add(number) }
        #expect(mailbox.next(fitting: 1) { _ in 1 } == [1])
        #expect(!mailbox.pause(until: 2))
        #expect(mailbox.isWorking)
    }

    @Test func `once it is back it goes on with less than enough`() {
        let mailbox = paused(until: 3)
        _ = mailbox.add(1)
        #expect(mailbox.resume() == .goOn)
        #expect(mailbox.isWorking)
        #expect(mailbox.next(fitting: 9) { _ in 1 } == [1])
        #expect(mailbox.stopIfEmpty())
        #expect(mailbox.add(2))
    }

    @Test func `as long as it comes back once more enough are waited for, and then nobody`() {
        let mailbox = paused(until: 3)
        #expect(mailbox.resume() == .nothingWaits)
        #expect(!mailbox.add(1))
        #expect(mailbox.resume() == .goOn)
        _ = mailbox.next(fitting: 9) { _ in 1 }
        #expect(mailbox.pause(until: 3))
        #expect(mailbox.resume(isLast: true) == .nothingWaits)
        #expect(mailbox.add(2))
    }

    @Test func `of two that give way the first to be back goes on, and the other has nothing to do`() {
        let mailbox = paused(until: 2)
        _ = mailbox.add(1)
        #expect(mailbox.add(2))
        _ = mailbox.next(fitting: 9) { _ in 1 }
        #expect(mailbox.pause(until: 2))
        _ = mailbox.add(3)
        #expect(mailbox.resume() == .goOn)
        #expect(mailbox.resume() == .othersWork)
    }

    // MARK: What is next

    /// Items that are their own sizes, and the portions they leave in.
    struct Case: CustomTestStringConvertible {
        var testDescription: String
        var items: [Int]
        var room: Int
        var portions: [[Int]]
    }

    @Test(arguments: [
        Case(testDescription: "nothing", items: [], room: 9, portions: []),
        Case(testDescription: "all of it", items: [1, 2, 3], room: 9, portions: [[1, 2, 3]]),
        Case(testDescription: "just all of it", items: [1, 2, 3], room: 6, portions: [[1, 2, 3]]),
        Case(testDescription: "all but one", items: [1, 2, 3], room: 5, portions: [[1, 2], [3]]),
        Case(testDescription: "one at a time", items: [3, 3, 3], room: 5, portions: [[3], [3], [3]]),
        Case(testDescription: "one larger than the room", items: [9], room: 5, portions: [[9]]),
        Case(testDescription: "the larger one behind others", items: [1, 9, 1], room: 5, portions: [[1], [9], [1]]),
        Case(testDescription: "a smaller one does not overtake", items: [4, 4, 1], room: 5, portions: [[4], [4, 1]]),
        Case(
            testDescription: "the empty need no room", items: [0, 5, 0, 0, 1], room: 5, portions: [[0, 5, 0, 0], [1]]),
        Case(testDescription: "no room at all", items: [1, 1], room: 0, portions: [[1], [1]]),
    ])
    func `as much leaves as fits, in the order of arrival, and one at least`(_ test: Case) {
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

    @Test(arguments: 1...10) func `nothing is lost, nothing comes twice, and one works at a time`(_ seed: Int) {
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

    @Test func `threads that hand in and work in turn lose nothing and never work together`() {
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
                        // Before the end: afterwards the next one may have begun.
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
