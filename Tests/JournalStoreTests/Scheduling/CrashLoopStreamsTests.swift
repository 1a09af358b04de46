import Testing
import TortureKit

@testable import JournalStore

/// Streams of one journal, each with the same number of restored effects. The first effect of the first stream crashes
/// the process.
private struct Streams {
    private struct Stream {
        var record: CrashLoopRecord?
        var hold: CrashLoopHold?
        var watchTime = Duration.zero
        var held: Set<RunKey> = []
        var wakeAt = Duration.zero
    }

    private let keys: [RunKey]
    private var streams: [Stream]
    /// The parked effects of each stream.
    private(set) var parked: [Int: Set<RunKey>] = [:]
    private var now = Timestamp(microseconds: 1_000_000_000)
    private var lastSeen: Timestamp?

    init(_ count: Int, effects: Int) {
        keys = (1...effects).map { RunKey(step: $0) }
        streams = Array(repeating: Stream(), count: count)
    }

    /// One process. It ends this long after the effect of the first stream has started.
    mutating func open(crash: Duration, _ random: inout SplitMix) {
        for index in streams.indices {
            let randomPart = Double(random.next() >> 11) * 0x1p-53
            let plan = CrashLoopRecord.plan(
                after: streams[index].record, lastSeen: lastSeen, now: now, randomPart: randomPart)
            if let key = plan.parked { parked[index, default: []].insert(key) }
            let held = Set(keys).subtracting(parked[index] ?? [])
            streams[index] = Stream(record: plan.record, watchTime: plan.watchTime, held: held)
            streams[index].hold = plan.hold.map { CrashLoopHold(plan, hold: $0, now: .zero) }
        }
        var end = streams[0].hold == nil ? crash : Duration.seconds(1_000_000)
        var turns = CrashLoopTurns()
        while let index = next(), streams[index].wakeAt < end { step(index, &turns, crash, &end) }
        // What the last mark says, within a factor of two.
        lastSeen = now.advanced(by: end * 0.6)
        now = now.advanced(by: end + .milliseconds(50))
    }

    /// The stream that has something to do first.
    private func next() -> Int? {
        streams.indices.filter { streams[$0].hold != nil }.min { streams[$0].wakeAt < streams[$1].wakeAt }
    }

    private mutating func step(_ index: Int, _ turns: inout CrashLoopTurns, _ crash: Duration, _ end: inout Duration) {
        guard var hold = streams[index].hold else { return }
        let tick = streams[index].wakeAt
        let id = StreamID(rawValue: Int64(index))
        switch hold.next(now: tick, held: streams[index].held, attempt: { _ in .running }) {
        case .wait(let until):
            streams[index].hold = hold
            streams[index].wakeAt = until
        case .start(let keys, let alone):
            var record = streams[index].record ?? CrashLoopRecord()
            _ = hold.endWatch(held: streams[index].held, in: &record)
            streams[index].record = record
            guard turns.begin(id, alone: alone) else {
                streams[index].wakeAt = tick + streams[index].watchTime
                return
            }
            streams[index].held.subtract(keys)
            hold.watch(keys, now: tick, in: &record)
            streams[index].record = record
            streams[index].hold = hold
            if index == 0, keys.contains(self.keys[0]) { end = min(end, tick + crash) }
        case .rest:
            turns.end(id)
            streams[index].record?.clear()
            streams[index].hold = nil
        }
    }
}

@Suite struct `Streams that share a process with a crash loop, simulated` {
    @Test(arguments: [2, 20], [20, 500, 4_000])
    func `only the effect that crashes the process is parked`(_ count: Int, _ milliseconds: Int) {
        var random = SplitMix(seed: UInt64(count + milliseconds))
        for round in 0..<40 {
            var streams = Streams(count, effects: round % 2 == 0 ? 1 : 3)
            for _ in 0..<7 { streams.open(crash: .milliseconds(milliseconds), &random) }
            #expect(streams.parked == [0: [RunKey(step: 1)]])
        }
    }
}
