import Testing
import TortureKit

@testable import JournalStore

@Suite struct `A cursor`: AtDesk {
    let desk: Desk
    init() throws { desk = try Desk() }

    @Test func `a cursor moves forwards and backwards, and always has the store's state`() async throws {
        let states = try await liveAYear(times: 30) { $0.snapshots = SnapshotPolicy(everySteps: 50) }
        let replayer = try Replayer(account, reader: JournalReader(path: path), stream: "a")
        var cursor = try replayer.cursor(at: 290)
        #expect(cursor.state == states[290])
        while try cursor.back() { #expect(cursor.state == states[cursor.step]) }
        #expect(cursor.step == 0)
        while let step = try cursor.forward() {
            #expect(step.step == cursor.step)
            #expect(cursor.state == states[cursor.step])
        }
        #expect(cursor.step == 302)
        var generator = SplitMix(seed: 7)
        for _ in 0..<200 {
            try cursor.move(to: Int.random(in: 0...302, using: &generator))
            #expect(cursor.state == states[cursor.step])
        }
    }

    @Test func `a cursor stays at its step if the other step does not exist`() async throws {
        let states = try await liveAYear()
        var cursor = try Replayer(account, reader: JournalReader(path: path), stream: "a").cursor(at: 4)
        for step in [-1, 13] { #expect(throws: JournalError.self) { try cursor.move(to: step) } }
        #expect(cursor.step == 4)
        #expect(cursor.state == states[4])
        try cursor.forward()
        #expect(cursor.state == states[5])
    }

    @Test func `a cursor does not reduce all steps again to move back`() async throws {
        let journal = try openJournal(path) { $0.snapshots = .never }
        let stream = try await journal.openStream("a", machine: "counting")
        try await stream.append(contentsOf: (1...2_000).map { "\($0)" })
        let count = Box(0)
        let counting = Machine<Int, Int, Void>("counting", initialState: 0) { state, action in
            count.change { $0 += 1 }
            state += action
        }
        var cursor = try Replayer(counting, reader: journal.reader, stream: "a").cursor(at: 2_000)
        #expect(count.value == 2_000)
        count.change { $0 = 0 }
        for step in (0..<2_000).reversed() {
            try cursor.back()
            #expect(cursor.state == step * (step + 1) / 2)
        }
        // Without cached states it would be two million.
        #expect(count.value < 10 * 2_000)
        try await journal.close()
    }

    @Test(arguments: [0, 1, 500, 1_000_000])
    func `a cursor caches at most 240 states, including all near ones`(cursor: Int) {
        var cache = StateCache<Int>()
        for step in 0...1_000_000 where CacheRule.keeps(step, for: cursor) {
            cache.add(step, at: step, for: cursor)
        }
        #expect(cache.count <= 240)
        for step in max(0, cursor - 15)...cursor { #expect(cache.newest(atOrBefore: step)?.step == step) }
        // A cached state is at most about half as far from a step as the cursor is.
        for step in stride(from: 0, through: cursor, by: 997) {
            let found = cache.newest(atOrBefore: step)?.state ?? 0
            #expect(step - found <= (cursor - step) / 2 + 16)
        }
        cache.moved(to: 0)
        #expect(cache.count <= 240)
    }
}
