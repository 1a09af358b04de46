import Testing

@testable import JournalStore

@Suite struct `Law 5: no effect is lost` {
    let deaths: Deaths
    let started = Box<[String]>([])

    init() throws { deaths = try Deaths() }

    private func open(_ journal: Journal) async throws -> Store<Play, Score> {
        try await journal.openPlay { [started] name in
            .run(name, id: name) {
                started.change { $0.append(name) }
                return .ended(name)
            }
        }
    }

    @Test func `an entry without a recorded outcome is reduced again, settled, and its effects start`() async throws {
        // The process ends between the append and the reducer: only the entries exist.
        let journal = try deaths.open()
        try await (try await open(journal)).close()
        let stream = try await journal.openStream("a", machine: "play")
        try await stream.append(contentsOf: [#"{"start":{"_0":"x"}}"#, #"{"start":{"_0":"y"}}"#])
        try await stream.close()
        #expect(try deaths("SELECT settled_step FROM stream") == ["0"])

        let store = try await open(journal)
        #expect(store.recovery.unsettledSteps == 2)
        _ = try await store.dispatch(.add(1)) { Set($0.log) == ["x", "y"] }
        try await store.close()
        #expect(Set(started.value) == ["x", "y"])
        #expect(try deaths("SELECT name, status FROM effect_run ORDER BY step") == ["x|completed", "y|completed"])
        #expect(try deaths("SELECT settled_step = head_step FROM stream") == ["1"])
        try await journal.close()
    }

    @Test func `a step is settled on the disk before its effects start`() async throws {
        // In the recovery too: a body sees the committed settlement watermark.
        let journal = try deaths.open()
        try await (try await open(journal)).close()
        let stream = try await journal.openStream("a", machine: "play")
        try await stream.append(contentsOf: (0..<50).map { #"{"start":{"_0":"\#($0)"}}"# })
        try await stream.close()
        let seen = Box<[String]>([])
        let store = try await journal.openPlay { [deaths] name in
            .run(name, id: name) {
                let settled = try deaths("SELECT settled_step >= 50 FROM stream")
                seen.change { $0 += settled }
                return .ended(name)
            }
        }
        _ = try await store.dispatch(.add(1)) { $0.log.count == 50 }
        #expect(seen.value == Array(repeating: "1", count: 50))
        try await journal.close()
    }
}
