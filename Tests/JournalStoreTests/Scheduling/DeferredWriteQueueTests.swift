import Testing

@testable import JournalStore

@Suite struct `Scheduling, deferred writes` {
    private final class Passenger: Rider {
        let stuck: Bool

        init(isStuck: Bool = false) {
            stuck = isStuck
        }

        func take(_ patience: DeferredWriteQueue.Patience) -> Batch? { nil }
        func wasWritten(_ result: Result<Void, JournalError>) {}
        func isStuck() -> Bool { stuck }
    }

    /// A queue of deferred writes that an expectation can change.
    private final class Desk {
        private var desk = DeferredWriteQueue()
        private var seen = -1

        func add(_ rider: any Rider, _ patience: DeferredWriteQueue.Patience = .none) -> Bool { desk.add(rider, patience) }
        func take(takesAll: Bool = false) -> [ObjectIdentifier] {
            desk.take(takesAll: takesAll).map { ObjectIdentifier($0.rider) }
        }
        func wereWritten(_ success: Bool) { desk.wereWritten(success) }
        func ring() -> DeferredWriteQueue.Ring { desk.ring(seen: &seen) }
        func startTimer() { seen = -1 }
        func delay() -> Duration { desk.delay(.milliseconds(10)) }

        /// Rings while other transactions are made, and returns the sources that these took.
        func ring(_ count: Int) -> [ObjectIdentifier] {
            (0..<count).flatMap { _ in
                #expect(ring() == .sleepAgain)
                return take()
            }
        }
    }

    private let desk = Desk()

    @Test func `the first source that waits starts a timer, and later ones do not`() {
        #expect(desk.add(Passenger()))
        #expect(!desk.add(Passenger()))
        #expect(!desk.add(Passenger(), .some))
    }

    @Test func `all urgent sources are taken together, in order, and once`() {
        let passengers = [Passenger(), Passenger(), Passenger()]
        for passenger in passengers { _ = desk.add(passenger) }
        #expect(desk.take() == passengers.map { ObjectIdentifier($0) })
        #expect(desk.take().isEmpty)
    }

    @Test func `a commit is requested if there was no transaction between two rings`() {
        _ = desk.add(Passenger())
        #expect(desk.ring() == .sleepAgain)
        #expect(desk.ring() == .commit)
    }

    @Test func `no commit is requested while there are other transactions`() {
        _ = desk.add(Passenger())
        #expect(desk.ring() == .sleepAgain)
        for _ in 1...3 {
            _ = desk.take()
            _ = desk.add(Passenger())
            #expect(desk.ring() == .sleepAgain)
        }
        #expect(desk.ring() == .commit)
    }

    @Test func `the timer ends if no source waits, and the next source starts another one`() {
        _ = desk.add(Passenger())
        _ = desk.take()
        #expect(!desk.add(Passenger()))
        _ = desk.take()
        #expect(desk.ring() == .stop)
        #expect(desk.add(Passenger(), .some))
        desk.startTimer()
        #expect(desk.ring() == .sleepAgain)
        #expect(desk.ring() == .commit)
    }

    @Test func `the timer's delay doubles while nothing can be written, up to a limit`() {
        var delays: [Duration] = []
        for _ in 1...10 {
            delays.append(desk.delay())
            desk.wereWritten(false)
        }
        #expect(delays == [10, 20, 40, 80, 160, 320, 640, 1280, 1280, 1280].map { .milliseconds($0) })
        desk.wereWritten(true)
        #expect(desk.delay() == .milliseconds(10))
    }

    @Test func `a patient source skips transactions until one takes all sources`() {
        let (patient, hurried) = (Passenger(), Passenger())
        _ = desk.add(patient, .some)
        _ = desk.add(hurried)
        #expect(desk.take() == [ObjectIdentifier(hurried)])
        #expect(desk.ring() == .sleepAgain)
        #expect(desk.ring() == .commit)
        #expect(desk.take(takesAll: true) == [ObjectIdentifier(patient)])
        #expect(desk.ring() == .stop)
    }

    @Test func `a patient source that is stuck is taken after a set number of rings`() {
        let passenger = Passenger(isStuck: true)
        _ = desk.add(passenger, .some)
        #expect(desk.ring(DeferredWriteQueue.patience - 1).isEmpty)
        #expect(desk.ring(1) == [ObjectIdentifier(passenger)])
        #expect(desk.ring() == .stop)
    }

    @Test func `a patient source whose stream makes progress keeps waiting`() {
        let (stuck, alive) = (Passenger(isStuck: true), Passenger())
        _ = desk.add(alive, .some)
        _ = desk.add(stuck, .some)
        #expect(desk.ring(3 * DeferredWriteQueue.patience) == [ObjectIdentifier(stuck)])
        #expect(desk.ring() == .sleepAgain)
    }
}
