import Testing

@testable import JournalStore

@Suite struct `Scheduling, deferred writes` {
    private final class Source: DeferredWriteSource {
        let stuck: Bool

        init(isStuck: Bool = false) {
            stuck = isStuck
        }

        func take(_ urgency: DeferredWriteQueue.Urgency) -> Batch? { nil }
        func wasWritten(_ result: Result<Void, JournalError>) {}
        func isStuck() -> Bool { stuck }
    }

    /// A queue of deferred writes that an expectation can change.
    private final class Queue {
        private var queue = DeferredWriteQueue()
        private var seen = -1

        func add(_ source: any DeferredWriteSource, _ urgency: DeferredWriteQueue.Urgency = .soon) -> Bool {
            queue.add(source, urgency)
        }
        func take(all: Bool = false, _ sources: Source...) -> [ObjectIdentifier] {
            queue.take(all: all, sources).map { ObjectIdentifier($0.source) }
        }
        func wereWritten(_ success: Bool) { queue.wereWritten(success) }
        func tick() -> DeferredWriteQueue.TimerAction { queue.tick(seen: &seen) }
        func startTimer() { seen = -1 }
        func delay() -> Duration { queue.delay(.milliseconds(10)) }

        /// Ticks while other transactions are made, and returns the sources that these took.
        func tick(_ count: Int) -> [ObjectIdentifier] {
            (0..<count).flatMap { _ in
                #expect(tick() == .sleepAgain)
                return take()
            }
        }
    }

    private let queue = Queue()

    @Test func `the first source that waits starts a timer, and later ones do not`() {
        #expect(queue.add(Source()))
        #expect(!queue.add(Source()))
        #expect(!queue.add(Source(), .patient))
    }

    @Test func `all urgent sources are taken together, in order, and once`() {
        let sources = [Source(), Source(), Source()]
        for source in sources { _ = queue.add(source) }
        #expect(queue.take() == sources.map { ObjectIdentifier($0) })
        #expect(queue.take().isEmpty)
    }

    @Test func `a commit is requested if there was no transaction between two ticks`() {
        _ = queue.add(Source())
        #expect(queue.tick() == .sleepAgain)
        #expect(queue.tick() == .commit)
    }

    @Test func `no commit is requested while there are other transactions`() {
        _ = queue.add(Source())
        #expect(queue.tick() == .sleepAgain)
        for _ in 1...3 {
            _ = queue.take()
            _ = queue.add(Source())
            #expect(queue.tick() == .sleepAgain)
        }
        #expect(queue.tick() == .commit)
    }

    @Test func `the timer ends if no source waits, and the next source starts another one`() {
        _ = queue.add(Source())
        _ = queue.take()
        #expect(!queue.add(Source()))
        _ = queue.take()
        #expect(queue.tick() == .stop)
        #expect(queue.add(Source(), .patient))
        queue.startTimer()
        #expect(queue.tick() == .sleepAgain)
        #expect(queue.tick() == .commit)
    }

    @Test func `the timer's delay doubles while nothing can be written, up to a limit`() {
        var delays: [Duration] = []
        for _ in 1...10 {
            delays.append(queue.delay())
            queue.wereWritten(false)
        }
        #expect(delays == [10, 20, 40, 80, 160, 320, 640, 1280, 1280, 1280].map { .milliseconds($0) })
        queue.wereWritten(true)
        #expect(queue.delay() == .milliseconds(10))
    }

    @Test func `a patient source skips transactions until one takes all sources`() {
        let (patient, urgent) = (Source(), Source())
        _ = queue.add(patient, .patient)
        _ = queue.add(urgent)
        #expect(queue.take() == [ObjectIdentifier(urgent)])
        #expect(queue.tick() == .sleepAgain)
        #expect(queue.tick() == .commit)
        #expect(queue.take(all: true) == [ObjectIdentifier(patient)])
        #expect(queue.tick() == .stop)
    }

    @Test func `a patient source joins a transaction that waits for it, and the others do not`() {
        let (first, second, third, urgent) = (Source(), Source(), Source(), Source())
        for source in [first, second, third] { _ = queue.add(source, .patient) }
        _ = queue.add(urgent)
        #expect(queue.take(second) == [ObjectIdentifier(urgent), ObjectIdentifier(second)])
        #expect(queue.take(second).isEmpty)
        // Queued again, it comes after those that waited longer.
        _ = queue.add(second, .patient)
        #expect(queue.take(all: true) == [first, third, second].map { ObjectIdentifier($0) })
        #expect(queue.take(all: true).isEmpty)
    }

    @Test func `a patient source that was taken and is queued again has the same patience again`() {
        let source = Source(isStuck: true)
        _ = queue.add(Source(), .patient)
        _ = queue.add(source, .patient)
        #expect(queue.tick(10).isEmpty)
        #expect(queue.take(source) == [ObjectIdentifier(source)])
        _ = queue.add(source, .patient)
        #expect(queue.tick(DeferredWriteQueue.patience - 1).isEmpty)
        #expect(queue.tick(1) == [ObjectIdentifier(source)])
    }

    @Test func `however often sources are taken alone, the others keep their order`() {
        let (first, second, busy) = (Source(), Source(), Source())
        _ = queue.add(first, .patient)
        for _ in 0..<100 {
            _ = queue.add(busy, .patient)
            #expect(queue.take(busy) == [ObjectIdentifier(busy)])
        }
        _ = queue.add(second, .patient)
        #expect(queue.take(all: true) == [ObjectIdentifier(first), ObjectIdentifier(second)])
    }

    @Test func `a patient source that is stuck is taken after a set number of ticks`() {
        let source = Source(isStuck: true)
        _ = queue.add(source, .patient)
        #expect(queue.tick(DeferredWriteQueue.patience - 1).isEmpty)
        #expect(queue.tick(1) == [ObjectIdentifier(source)])
        #expect(queue.tick() == .stop)
    }

    @Test func `a patient source whose stream makes progress keeps waiting`() {
        let (stuck, alive) = (Source(isStuck: true), Source())
        _ = queue.add(alive, .patient)
        _ = queue.add(stuck, .patient)
        #expect(queue.tick(3 * DeferredWriteQueue.patience) == [ObjectIdentifier(stuck)])
        #expect(queue.tick() == .sleepAgain)
    }
}
