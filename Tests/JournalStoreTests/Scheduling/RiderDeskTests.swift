import Testing

@testable import JournalStore

@Suite struct `Scheduling, those who ride along` {
    private final class Passenger: Rider {
        func take() -> Batch? { nil }
        func wasWritten(_ result: Result<Void, JournalError>) {}
    }

    /// A desk that an expectation can change.
    private final class Desk {
        private var desk = RiderDesk()
        private var seen = -1

        var waiting: [any Rider] { desk.waiting }
        func add(_ rider: any Rider) -> Bool { desk.add(rider) }
        func take() -> [any Rider] { desk.take() }
        func wereWritten(_ success: Bool) { desk.wereWritten(success) }
        func ring() -> RiderDesk.Ring { desk.ring(seen: &seen) }
        func startTimer() { seen = -1 }
        func delay() -> Duration { desk.delay(.milliseconds(10)) }
    }

    private let desk = Desk()

    @Test func `the first to wait has a timer started, those after it do not`() {
        #expect(desk.add(Passenger()))
        #expect(!desk.add(Passenger()))
    }

    @Test func `all that wait leave together, in order, and once`() {
        let passengers = [Passenger(), Passenger(), Passenger()]
        for passenger in passengers { _ = desk.add(passenger) }
        #expect(desk.waiting.count == 3)
        let taken = desk.take()
        #expect(taken.map { ObjectIdentifier($0) } == passengers.map { ObjectIdentifier($0) })
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
        #expect(desk.add(Passenger()))
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
}
