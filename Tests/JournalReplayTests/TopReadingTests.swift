import Testing

@testable import JournalReplayKit
@testable import JournalStore

@Suite struct `A reading of top` {
    @Test(arguments: [
        ([], "0/s; none since the last reading"), ([150], "1/s; half within 200 µs, 99 % within 200 µs"),
        ([150, 3_000], "2/s; half within 200 µs, 99 % within 5 ms"),
        ([150, 3_000_000], "2/s; half within 200 µs, 99 % in more than 1 s"),
    ])
    func `says how long commits took, or that there were none`(times: [Int], text: String) {
        var before = JournalMetrics(since: Timestamp(microseconds: 0), time: Timestamp(microseconds: 1), process: 7)
        // A commit before the interval does not count.
        before.commitTimes.add(microseconds: 20)
        before.commits = 1
        var now = before
        now.time = Timestamp(microseconds: 1_000_001)
        now.commits += times.count
        for time in times { now.commitTimes.add(microseconds: time) }
        let rows = TopReading(file: "/j.db", before: before, now: now).rows(atMost: nil)
        #expect(rows.first { $0.label == "Commits" }?.text == text)
    }

    @Test func `counts from the beginning of an app that was started since the last reading`() {
        var before = JournalMetrics(since: Timestamp(microseconds: 0), time: Timestamp(microseconds: 1), process: 7)
        (before.entries, before.commits) = (1_000, 1_000)
        for _ in 1...3 { before.commitTimes.add(microseconds: 20) }
        var now = JournalMetrics(
            since: Timestamp(microseconds: 5_000_000), time: Timestamp(microseconds: 7_000_000), process: 8)
        (now.entries, now.commits) = (10, 2)
        now.commitTimes.add(microseconds: 150)
        now.commitTimes.add(microseconds: 150)
        let rows = TopReading(file: "/j.db", before: before, now: now).rows(atMost: nil)
        #expect(rows.first { $0.label == "Commits" }?.text == "1/s; half within 200 µs, 99 % within 200 µs")
        #expect(rows.first { $0.label == "Entries" }?.text.hasPrefix("5/s") == true)
    }

    @Test func `leaves out queues on a screen with few rows, and says that the disk is full`() {
        var now = JournalMetrics(since: Timestamp(microseconds: 0), time: Timestamp(microseconds: 1), process: 7)
        now.queues = (1...9).map { JournalMetrics.Queue(stream: "a", queue: "\"q\"", waiting: $0) }
        (now.failedCommits, now.isDiskFull) = (2, true)
        let reading = TopReading(file: "/j.db", before: now, now: now)
        #expect(reading.rows(atMost: nil).count { $0.label == "Queue" } == 5)
        let few = reading.rows(atMost: 12)
        #expect(few.count == 12)
        #expect(few.count { $0.label == "Queue" } == 2)
        #expect(few.suffix(3).map(\.label) == ["Failed", "WAL", "Database"])
        #expect(few.first { $0.label == "Failed" }?.text == "2 commits, and the disk is full")
        #expect(reading.rows(atMost: 3).first?.label == "Journal")
    }
}
