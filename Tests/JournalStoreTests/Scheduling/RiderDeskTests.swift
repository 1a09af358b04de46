import Testing

@testable import JournalStore

@Suite struct `Scheduling, those who ride along` {
    private final class Passenger: Rider {
        let stuck: Bool

        init(isStuck: Bool = false) {
            stuck = isStuck
        }

        func take(_ patience: RiderDesk.Patience) -> Batch? { nil }
        func wasWritten(_ result: Result<Void, JournalError>) {}
        func isStuck() -> Bool { stuck }
    }

    /// A desk that an expectation can change.
    private final class Desk {
        private var desk = RiderDesk()
        private var seen = -1

        func add(_ rider: any Rider, _ patience: RiderDesk.Patience = .none) -> Bool { desk.add(rider, patience) }
        func take(takesAll: Bool = false) -> [ObjectIdentifier] {
            desk.take(takesAll: takesAll).map { ObjectIdentifier($0.rider) }
        }
        func wereWritten(_ success: Bool) { desk.wereWritten(success) }
        func ring() -> RiderDesk.Ring { desk.ring(seen: &seen) }
        func startTimer() { seen = -1 }
        func delay() -> Duration { desk.delay(.milliseconds(10)) }

        /// Rings while others make transactions, and gives those who went with one of them.
        func ring(_ count: Int) -> [ObjectIdentifier] {
            (0..<count).flatMap { _ in
                #expect(ring() == .sleepAgain)
                return take()
            }
        }
    }

    private let desk = Desk()

    @Test func `the first to wait has a timer started, those after it do not`() {
        #expect(desk.add(Passenger()))
        #expect(!desk.add(Passenger()))
        #expect(!desk.add(Passenger(), .some))
    }

    @Test func `all in a hurry leave together, in order, and once`() {
        let passengers = [Passenger(), Passenger(), Passenger()]
        for passenger in passengers { _ = desk.add(passenger) }
        #expect(desk.take() == passengers.map { ObjectIdentifier($0) })
        #expect(desk.take().isEmpty)
    }

    @Test func `a transaction is asked for when there was none between two rings`() {
        _ = desk.add(Passenger())
        #expect(desk.ring() == .sleepAgain)
        #expect(desk.ring() == .commit)
    }

    @Test func `while others make transactions nothing is asked for`() {
        _ = desk.add(Passenger())
        #expect(desk.ring() == .sleepAgain)
        for _ in 1...3 {
            _ = desk.take()
            _ = desk.add(Passenger())
            #expect(desk.ring() == .sleepAgain)
        }
        #expect(desk.ring() == .commit)
    }

    @Test func `the timer ends when nobody waits, and the next to come has another one started`() {
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

    @Test func `it sleeps longer and longer while nothing can be written, up to a limit`() {
        var delays: [Duration] = []
        for _ in 1...10 {
            delays.append(desk.delay())
            desk.wereWritten(false)
        }
        #expect(delays == [10, 20, 40, 80, 160, 320, 640, 1280, 1280, 1280].map { .milliseconds($0) })
        desk.wereWritten(true)
        #expect(desk.delay() == .milliseconds(10))
    }

    @Test func `one that is patient lets transactions go by, and leaves with the one that takes all`() {
        let (patient, hurried) = (Passenger(), Passenger())
        _ = desk.add(patient, .some)
        _ = desk.add(hurried)
        #expect(desk.take() == [ObjectIdentifier(hurried)])
        #expect(desk.ring() == .sleepAgain)
        #expect(desk.ring() == .commit)
        #expect(desk.take(takesAll: true) == [ObjectIdentifier(patient)])
        #expect(desk.ring() == .stop)
    }

    @Test func `one that is patient and stuck is in a hurry after so many rings`() {
        let passenger = Passenger(isStuck: true)
        _ = desk.add(passenger, .some)
        #expect(desk.ring(RiderDesk.patience - 1).isEmpty)
        #expect(desk.ring(1) == [ObjectIdentifier(passenger)])
        #expect(desk.ring() == .stop)
    }

    @Test func `one whose own stream goes on waits again as long, however often`() {
        let (stuck, alive) = (Passenger(isStuck: true), Passenger())
        _ = desk.add(alive, .some)
        _ = desk.add(stuck, .some)
        #expect(desk.ring(3 * RiderDesk.patience) == [ObjectIdentifier(stuck)])
        #expect(desk.ring() == .sleepAgain)
    }
}
