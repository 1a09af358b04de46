import Testing

@testable import JournalStore

@Suite struct `Scheduling, how long a queue is remembered` {
    private let bench = Bench()

    private func need(_ queue: JobQueue, lastStart: Duration?, runs: Int, at now: Duration) -> QueueNeed {
        let start = lastStart.map { Moment(tick: $0, date: bench.now.date) }
        let record = QueueRecord(rule: QueueRule(queue), since: Bench.key(1), lastStart: start)
        return QueueNeed(record, runCount: runs, at: now)
    }

    @Test func `a queue is needed while runs belong to it, and until the delay after its last start is over`() {
        let (plain, slow) = (JobQueue.newest(1), JobQueue.newest(1, delay: .constant(10)))
        let random = JobQueue.newest(1, delay: .random(2.0...10.0))
        #expect(need(plain, lastStart: nil, runs: 1, at: .seconds(99)) == .runs)
        #expect(need(slow, lastStart: .zero, runs: 1, at: .seconds(99)) == .runs)
        #expect(need(plain, lastStart: nil, runs: 0, at: .zero) == .nothing)
        #expect(need(plain, lastStart: .zero, runs: 0, at: .zero) == .nothing)
        #expect(need(slow, lastStart: nil, runs: 0, at: .zero) == .nothing)
        #expect(need(slow, lastStart: .zero, runs: 0, at: .seconds(9)) == .delay(until: .seconds(10)))
        #expect(need(random, lastStart: .zero, runs: 0, at: .seconds(9)) == .delay(until: .seconds(10)))
        #expect(need(slow, lastStart: .zero, runs: 0, at: .seconds(10)) == .nothing)
        #expect(need(slow, lastStart: .seconds(-20), runs: 0, at: .zero) == .nothing)
    }

    @Test func `the row goes with the last end, and the queue stays until that is on the disk`() {
        bench.commitsAtOnce = false
        var request = Bench.request(1, queue: .discarding(1))
        request.record.described = "{}"
        bench.scheduler.add(request, at: bench.now)
        bench.look()
        bench.commit()
        #expect(bench.remembered.map(\.name) == ["jobs"])
        bench.complete(1)
        bench.look()
        #expect(bench.forgotten == ["jobs"])
        #expect(!bench.isForgotten)
        bench.commit()
        #expect(bench.forgotten == ["jobs"])
        #expect(bench.isForgotten)
    }

    @Test func `a described run that comes before the last end is on the disk has its queue recorded again`() {
        bench.commitsAtOnce = false
        for number in 1...2 {
            var request = Bench.request(number, queue: .discarding(1))
            request.record.described = "{}"
            bench.scheduler.add(request, at: bench.now)
            bench.look()
            if number == 1 { bench.commit() }
            if number == 1 { bench.complete(1) }
            bench.look()
        }
        #expect(bench.started == [1], "the second one waits until the end of the first is on the disk")
        #expect(bench.remembered.map(\.name) == ["jobs", "jobs"])
        #expect(bench.forgotten == ["jobs"])
        #expect(bench.commit() == [2])
    }

    @Test func `a queue that was never recorded is not deleted either`() {
        bench.add(1, queue: .suspending(1))
        bench.look()
        bench.complete(1)
        bench.look()
        #expect(bench.isForgotten)
        #expect(bench.forgotten.isEmpty)
    }

    @Test func `a restored queue without runs is forgotten when its delay is over`() {
        let queue = JobQueue.suspending(1, delay: .constant(10))
        let start = Moment(tick: .seconds(-4), date: bench.now.date)
        bench.scheduler.remember(
            "over", QueueRecord(rule: QueueRule(JobQueue.suspending(1)), since: Bench.key(1)))
        bench.scheduler.remember(
            "slow", QueueRecord(rule: QueueRule(queue), since: Bench.key(1), lastStart: start))
        bench.look()
        #expect(bench.forgotten == ["over"])
        #expect(bench.scheduler.nextWake == .seconds(6))
        bench.turn(to: .seconds(6))
        #expect(bench.forgotten == ["over", "slow"])
        #expect(bench.isForgotten)
    }

    @Test func `an orphan keeps the row of its queue until it is cancelled`() {
        bench.scheduler.remember("jobs", QueueRecord(rule: QueueRule(JobQueue.suspending(1)), since: Bench.key(1)))
        var record = Bench.request(1, queue: .suspending(1)).record
        record.status = .running
        bench.scheduler.restoreOrphan(record, seed: [7])
        bench.look()
        #expect(bench.forgotten.isEmpty)
        bench.cancel(1)
        bench.look()
        #expect(bench.forgotten == ["jobs"])
        #expect(bench.isForgotten)
    }

    @Test func `an update that takes the delay away ends the wait for it`() {
        bench.add(1, queue: .suspending(1, delay: .constant(10)))
        bench.look()
        bench.complete(1)
        bench.look()
        #expect(bench.forgotten.isEmpty)
        bench.update(JobQueue.suspending(1), text: "jobs")
        bench.look()
        #expect(bench.forgotten == ["jobs"])
        #expect(bench.isForgotten)
    }

    @Test func `the row for a forgotten queue has the rule that a retried run gets`() throws {
        let row = QueueMemory.substitute(stream: StreamID(rawValue: 1), key: "jobs")
        #expect(try JSONCodec().encode(QueueRecord.substitute) == row.policy)
        #expect(try JSONCodec().decode(QueueRecord.self, from: row.policy) == .substitute)
    }
}
