import JournalStore
import Synchronization
import TortureKit

/// Writes the journals that the tests of the page read: `replay-app journal KIND FILE [COUNT]`.
struct PageJournals {
    private let journal: Journal
    private let options: Journal.Options
    private let now: Atomic<Int64>.Box

    enum Kind: String, CaseIterable { case orders, hostile, many, long, fragile }

    static func write(_ kind: Kind, _ path: String, count: Int) async throws {
        let journals = try PageJournals(path)
        var restarts: [Int64] = []
        switch kind {
        case .orders: restarts = try await journals.orders(count)
        case .hostile: try await journals.hostile()
        case .many: try await journals.many(count)
        case .long: try await journals.long(count)
        case .fragile: try await journals.fragile()
        }
        try await journals.journal.close()
        for time in restarts.sorted() {
            journals.now.value.store(time, ordering: .relaxed)
            try await Journal(path: path, options: journals.options).close()
        }
    }

    private init(_ path: String) throws {
        let now = Atomic<Int64>.Box(1_763_719_200_000_000)
        var options = Journal.Options()
        options.durability = .normal
        options.wallClock = { Timestamp(microseconds: now.value.load(ordering: .relaxed)) }
        journal = try Journal(path: path, options: options)
        (self.options, self.now) = (options, now)
    }

    // MARK: Orders

    /// Orders side by side, of which the seventeenth goes wrong; a process that ends in between; every kind of effect.
    ///
    /// - Returns: when processes began again.
    private func orders(_ count: Int) async throws -> [Int64] {
        let start = now.value.load(ordering: .relaxed)
        var lives: [OrderLife] = []
        // A stream is open as long as something refers to it.
        var streams: [JournalStream] = []
        defer { withExtendedLifetime(streams) {} }
        for number in 1...count {
            let stream = try await journal.openStream("order-\(number)", machine: "shop-order")
            streams.append(stream)
            lives.append(OrderLife(number, stream.id, start + Int64(number) * 7_300_000))
        }
        let events = lives.flatMap { life in life.events.map { (life.stream, $0) } }.sorted { $0.1.time < $1.1.time }
        for (stream, event) in events {
            now.value.store(event.time, ordering: .relaxed)
            let action = try JSONCodec().encode(event.action)
            _ = try await journal.commit(
                Batch(entries: [
                    NewEntry(stream: stream, action: action, origin: event.origin, cause: event.cause)
                ]))
        }
        var batch = Batch()
        batch.runs = lives.flatMap(\.runs)
        batch.steps = lives.flatMap(\.records)
        batch.remembered = lives.flatMap(\.remembered)
        batch.interventions = Dictionary(
            uniqueKeysWithValues: lives.filter { !$0.acts.isEmpty }.map { ($0.stream, $0.acts) })
        batch.settled = Dictionary(uniqueKeysWithValues: lives.map { ($0.stream, $0.events.count) })
        _ = try await journal.commit(batch)
        let resumed = lives.flatMap(\.runs).flatMap { run in
            zip(run.notes, run.notes.dropFirst()).compactMap { $0.ended == nil ? $1.started?.microseconds : nil }
        }
        return Array(Set(resumed + events.filter { $0.1.origin == .restart }.map(\.1.time)))
    }

    // MARK: Hostile

    private static let markup = "</script><script>window.hacked=1</script><img src=x onerror=\"window.hacked=1\">"

    /// Texts that would do harm if a page took them for markup, script, an address or a format.
    private func hostile() async throws {
        let markup = PageJournals.markup
        let names = [markup, "__proto__", "a&stream=b#step=1", "\u{202E}gnp.exe", "javascript:window.hacked=1"]
        for (number, name) in names.enumerated() {
            let stream = try await journal.openStream(name, machine: markup)
            let actions = [
                #"{"__proto__":{"hacked":true}}"#,
                "{\"\(PageJournals.quoted(markup))\":{\"constructor\":\"\(PageJournals.quoted(markup))\"}}",
                markup, "{\"n\":123456789012345678901234567890.10,\"__proto__\":1,\"u\":\"\u{2028}\u{2029}\u{202E}\"}",
                String(repeating: "[", count: 5_000) + String(repeating: "]", count: 5_000), "",
            ]
            for action in actions {
                now.value.add(1_000_000, ordering: .relaxed)
                try await stream.append(action)
            }
            var batch = Batch()
            let start = Timestamp(microseconds: now.value.load(ordering: .relaxed))
            batch.steps = [
                StepRecord(
                    stream: stream.id, step: 2, outcome: .rejected, reason: markup,
                    cascade: "[\"\(PageJournals.quoted(markup))\"]")
            ]
            batch.runs = [
                EffectRun(
                    stream: stream.id, step: 1, ordinal: 0, rootStep: 1, name: markup, effectID: markup, queue: markup,
                    status: .failed, attempts: 2, started: start, ended: start, error: markup, described: markup)
            ]
            batch.remembered = [
                RememberedStep(
                    stream: stream.id, step: 1, ordinal: 0, path: markup, name: markup, use: 1, result: markup)
            ]
            batch.settled = [stream.id: actions.count]
            _ = try await journal.commit(batch)
            // A snapshot with a state, and a time before all others.
            now.value.store(number == 3 ? -62_000_000_000_000_000 : start.microseconds, ordering: .relaxed)
        }
    }

    private static func quoted(_ text: String) -> String { text.split(separator: "\"").joined(separator: "\\\"") }

    // MARK: Many

    /// Steps of a few orders, one of them with most of the steps.
    private func many(_ count: Int) async throws {
        var streams: [JournalStream] = []
        for number in 1...8 { streams.append(try await journal.openStream("order-\(number)", machine: "shop-order")) }
        var random = SplitMix(seed: 1)
        var written = 0
        while written < count {
            now.value.add(Int64.random(in: 20_000...400_000, using: &random), ordering: .relaxed)
            let stream = streams[written % 3 == 0 ? Int.random(in: 1...7, using: &random) : 0].id
            let size = min(Int.random(in: 50...350, using: &random), count - written)
            let entries = (0..<size).map { index in
                NewEntry(stream: stream, action: "{\"count\":{\"_0\":\(written + index)}}")
            }
            _ = try await journal.commit(Batch(entries: entries))
            written += size
        }
    }
}

extension PageJournals {
    /// Actions of a megabyte each.
    private func long(_ count: Int) async throws {
        let stream = try await journal.openStream("order-1", machine: "order")
        for number in 1...count {
            now.value.add(1_000_000, ordering: .relaxed)
            let name = String(repeating: "\(number) ", count: 300_000)
            try await stream.append("{\"add\":{\"item\":\"\(name)\",\"price\":\(number)}}")
        }
    }
}

extension Atomic<Int64> {
    /// A number that a closure and its creator share.
    final class Box: Sendable {
        let value: Atomic<Int64>

        init(_ value: Int64) { self.value = Atomic(value) }
    }
}

extension PageJournals {
    /// A stream whose second step crashes its reducer.
    private func fragile() async throws {
        let stream = try await journal.openStream("fragile", machine: "fragile")
        try await stream.append(contentsOf: ["1", "-1"])
    }
}
