import CFaultVFS
import CJournalSQLite
import Foundation
import JournalTesting
import Testing
import TortureKit

@testable import JournalStore

@Suite struct `Metrics and spans`: AtDesk {
    let desk: Desk

    init() throws { desk = try Desk() }

    @Test func `metrics count entries, commits, streams and live effects`() async throws {
        let journal = try openJournal(path, clock)
        let before = try await journal.metrics()
        let store = try await journal.open(
            play, stream: "a",
            environment: Stage {
                $0 == "go"
                    ? .run("wait") {
                        try await $0.clock.sleep(for: .seconds(9)); return nil
                    } : .none
            },
            clock: clock)
        try await store.dispatch(contentsOf: [.add(1), .add(2), .start("go")])
        try await store.flush()
        let now = try await journal.metrics()
        #expect(now.entries - before.entries == 3)
        #expect(now.dispatched - before.dispatched == 3)
        #expect(now.commits > before.commits)
        for _ in 0..<3 { try await store.dispatch(.add(1), id: "once") }
        #expect(try await journal.metrics().dispatched - now.dispatched == 1, "asking again dispatches nothing")
        #expect(now.commits == now.commitTimes.count)
        #expect(now.openStreams == 1)
        #expect(now.effects == ["running": 1])
        #expect(now.walBytes > 0)
        #expect(now.failedCommits == 0)
        try await journal.close()
        #expect(await journalError { try await journal.metrics() }?.code == .closed)
    }

    @Test func `metrics say that the disk is full until a transaction finds room`() async throws {
        let vfs = FaultVFS()
        let journal = try openJournal(path, clock, vfs: vfs.name)
        let store = try await journal.openPlay(clock: clock) { _ in .none }
        vfs.fail(FAULT_WRITE, suffix: "-wal", count: -1, code: SQLITE_FULL)
        #expect(await journalError { try await store.dispatch(.add(1)) }?.code == .diskFull)
        #expect(try await journal.metrics().isDiskFull)
        #expect(try await journal.metrics().prometheusText.contains("\njournal_disk_full 1\n"))
        vfs.clear()
        try await store.dispatch(.add(1))
        #expect(try await !journal.metrics().isDiskFull)
        // Also one that creates a stream.
        vfs.fail(FAULT_WRITE, suffix: "-wal", count: -1, code: SQLITE_FULL)
        #expect(await journalError { try await journal.openStream("new", machine: "m") }?.code == .diskFull)
        #expect(try await journal.metrics().isDiskFull)
        vfs.clear()
        try await journal.openStream("new", machine: "m").close()
        #expect(try await !journal.metrics().isDiskFull)
        try await journal.close()
    }

    @Test func `an opening that is refused before its state is read has a span`() async throws {
        let spans = Box<[JournalSpan]>([])
        let journal = try openJournal(path) { options in options.trace = { span in spans.change { $0.append(span) } } }
        try await journal.openStream("a", machine: "other").close()
        #expect(await journalError { try await journal.openPlay(clock: clock) { _ in .none } } != nil)
        let span = try #require(spans.value.last { $0.kind == .replay })
        #expect(span.stream == "a")
        #expect(span.error?.contains("other") == true)
        try await journal.close()
    }

    @Test func `a histogram counts durations below limits and finds quantiles`() {
        var histogram = DurationHistogram()
        #expect(histogram.quantile(0.5) == nil)
        for micros in [5, 10, 11, 400, 2_000_000] { histogram.add(microseconds: micros) }
        #expect(histogram.count == 5)
        #expect(histogram.sum == 2_000_426)
        #expect(histogram.quantile(0.4) == 10)
        #expect(histogram.quantile(0.5) == 20)
        #expect(histogram.quantile(0.8) == 500)
        #expect(histogram.quantile(1) == nil, "above all limits")
        let earlier = histogram
        histogram.add(microseconds: 15)
        #expect(histogram.since(earlier).count == 1)
        #expect(histogram.since(earlier).quantile(1) == 20)
    }

    @Test func `the text for Prometheus has each metric, with escaped labels`() {
        var metrics = JournalMetrics(since: Timestamp(microseconds: 0), time: Timestamp(microseconds: 1), process: 7)
        metrics.entries = 3
        metrics.commitTimes.add(microseconds: 15)
        metrics.effects = ["running": 2]
        metrics.queues = [
            JournalMetrics.Queue(stream: "a\"b\\c\nd", queue: "q", waiting: 4),
            JournalMetrics.Queue(stream: "e\r\nf", queue: "q", waiting: 1),
        ]
        let lines = metrics.prometheusText.split(separator: "\n").map(String.init)
        for line in [
            "# TYPE journal_entries_total counter", "journal_entries_total 3",
            "journal_commit_seconds_bucket{le=\"1e-05\"} 0", "journal_commit_seconds_bucket{le=\"2e-05\"} 1",
            "journal_commit_seconds_bucket{le=\"+Inf\"} 1", "journal_commit_seconds_count 1",
            "journal_live_effects{status=\"running\"} 2", "journal_live_effects{status=\"parked\"} 0",
            "journal_live_effects{status=\"asked\"} 0",
            #"journal_queued_effects{stream="a\"b\\c\nd",queue="q"} 4"#,
            "journal_queued_effects{stream=\"e\r\\nf\",queue=\"q\"} 1",
        ] {
            #expect(lines.contains(line), "\(line)")
        }
    }

    @Test func `metrics of another version are decoded: what is missing is zero, what is unknown is ignored`() throws {
        let codec = JSONCodec()
        let text = #"{"since":1,"time":2,"process":7,"entries":3,"commitTimes":{"sum":15},"later":{"a":[1]}}"#
        var metrics = JournalMetrics(since: Timestamp(microseconds: 1), time: Timestamp(microseconds: 2), process: 7)
        metrics.entries = 3
        let decoded = try codec.decode(JournalMetrics.self, from: text)
        #expect(changed(decoded) { $0.commitTimes = DurationHistogram() } == metrics)
        #expect(decoded.commitTimes.sum == 15)
        #expect(decoded.commitTimes.counts == DurationHistogram().counts)
        #expect(try codec.decode(JournalMetrics.self, from: #"{"since":1,"time":2,"process":7}"#).commits == 0)
        metrics.commitTimes.add(microseconds: 15)
        (metrics.effects, metrics.walBytes) = (["running": 2], 9)
        metrics.queues = [JournalMetrics.Queue(stream: "a", queue: "q", waiting: 4)]
        #expect(try codec.decode(JournalMetrics.self, from: codec.encode(metrics)) == metrics)
    }

    @Test func `spans tell why a commit and an opening have failed`() async throws {
        let spans = Box<[JournalSpan]>([])
        let journal = try openJournal(path) { options in
            options.trace = { span in spans.change { $0.append(span) } }
        }
        let store = try await journal.open(play, stream: "a", environment: Stage())
        #expect(spans.value.filter { $0.kind == .commit && $0.count == 0 }.count == 1, "the stream was created")
        try FileManager.default.moveItem(atPath: path, toPath: path + "-moved")
        spans.change { $0 = [] }
        #expect(await journalError { try await store.dispatch(.add(1)) }?.code == .fenced)
        #expect(spans.value.first { $0.kind == .commit }?.error?.contains("[fenced") == true)
        try? await journal.close()
        try FileManager.default.moveItem(atPath: path + "-moved", toPath: path)

        let damaged = try openJournal(path) { options in
            options.trace = { span in spans.change { $0.append(span) } }
        }
        let log = try await damaged.openStream("b", machine: play.name)
        try await log.append("{}", version: 9)
        try await log.close()
        #expect(
            await journalError { try await damaged.open(play, stream: "b", environment: Stage()) }?.code
                == .newerMachine)
        let opening = spans.value.first { $0.kind == .replay && $0.stream == "b" }
        #expect(opening?.error?.contains("[newer-machine]") == true)
        try await damaged.close()
    }

    @Test func `spans tell of a dispatch, its commit, its reduction, its effect and an opening`() async throws {
        let spans = Box<[JournalSpan]>([])
        let journal = try openJournal(path) { options in
            options.wallClock = clock.wallClock
            options.trace = { span in spans.change { $0.append(span) } }
        }
        func open() async throws -> Store<Play, Score> {
            try await journal.open(
                play, stream: "a",
                environment: Stage { name in
                    .run(name) { _ in
                        if name == "bad" { throw Failed() }
                        return .add(1)
                    }
                }, clock: clock)
        }
        var store = try await open()
        spans.change { $0 = [] }
        try await store.dispatch(.start("work")).completion()
        await store.join()
        try await store.dispatch(.start("bad"))
        await store.join()
        try await store.flush()
        let found = spans.value
        let dispatches = found.filter { $0.kind == .dispatch }
        #expect(dispatches.map(\.step) == [1, 3])
        #expect(dispatches.allSatisfy { $0.stream == "a" && $0.name == "start" && $0.count == 1 && $0.error == nil })
        #expect(found.filter { $0.kind == .reduce }.map(\.step) == [1, 2, 3])
        #expect(found.filter { $0.kind == .reduce }.map(\.name) == ["start", "add", "start"])
        let effects = found.filter { $0.kind == .effect }
        #expect(effects.map(\.name) == ["work", "bad"])
        #expect(effects.map(\.error) == [nil, "Failed()"])
        #expect(effects.allSatisfy { $0.ordinal == 0 && $0.attempt == 1 })
        let commits = found.filter { $0.kind == .commit }
        #expect(commits.reduce(0) { $0 + ($1.count ?? 0) } == 3)
        #expect(found.allSatisfy { $0.duration >= .zero && $0.start == clock.wallClock() })
        try await store.close()
        spans.change { $0 = [] }
        store = try await open()
        let replay = try #require(spans.value.first { $0.kind == .replay })
        #expect(replay.stream == "a")
        #expect(replay.step == 3)
        try await journal.close()
        #expect(await journalError { try await store.dispatch(.add(1)) }?.code == .closed)
        let refused = spans.value.last { $0.kind == .dispatch }
        #expect(refused?.error?.contains("[closed]") == true)
    }
}

private struct Failed: Error {}
