import Testing

@testable import JournalStore

@Suite struct `The streams of a host` {
    final class Resident: Sendable {}

    typealias Table = ResidentTable<Resident>

    /// Opens streams in order. The table has the only reference to each store.
    private func table(_ names: String...) -> Table {
        var table = Table()
        for name in names {
            _ = table.demand(name) { _ in true }
            _ = table.opened(name, Resident(), stateBytes: 10)
        }
        return table
    }

    private func taken(_ table: inout Table, count: Int, bytes: Int? = nil, most: Int = 100) -> [String] {
        table.takeIdle(count: count, bytes: bytes, most: most).map(\.name)
    }

    private func demand(_ table: inout Table, _ name: String) -> String {
        switch table.demand(name, isUsable: { _ in true }) {
        case .ready: "ready"
        case .open: "open"
        case .wait: "wait"
        }
    }

    @Test func `the first call opens a stream, and the others wait until it is open`() {
        var table = Table()
        let answers = Box<[Bool]>([])
        #expect(demand(&table, "a") == "open")
        #expect(demand(&table, "a") == "wait")
        let waits = table.wait(for: "a") { result in answers.change { $0.append((try? result.get()) != nil) } }
        #expect(waits)
        for waiter in table.opened("a", Resident(), stateBytes: 0) { waiter(.success(Resident())) }
        #expect(answers.value == [true])
        #expect(demand(&table, "a") == "ready")
        #expect(table.wait(for: "a") { _ in } == false)
    }

    @Test func `after a failed opening the next call opens the stream`() {
        var table = Table()
        #expect(demand(&table, "a") == "open")
        #expect(table.wait(for: "a") { _ in } == true)
        #expect(table.failed("a").count == 1)
        #expect(table.isEmpty)
        #expect(demand(&table, "a") == "open")
    }

    @Test func `the streams that were not used for longest are closed first, until the others fit`() {
        var table = table("a", "b", "c", "d")
        #expect(demand(&table, "a") == "ready")
        #expect(taken(&table, count: 2) == ["b", "c"])
        #expect(table.openCount == 2)
        #expect(taken(&table, count: 2) == [])
    }

    @Test func `the length of the states counts too`() {
        var table = table("a", "b", "c")
        #expect(taken(&table, count: 100, bytes: 25) == ["a"])
        table.measured("b", stateBytes: 100)
        #expect(table.stateBytes == 110)
        #expect(taken(&table, count: 100, bytes: 25) == ["b"])
        #expect(table.stateBytes == 10)
    }

    @Test func `a store that is referenced elsewhere is not closed`() {
        var table = table("a", "b", "c")
        guard case .ready(let held, _) = table.demand("a", isUsable: { _ in true }) else {
            Issue.record("a is not open")
            return
        }
        #expect(taken(&table, count: 0) == ["b", "c"])
        withExtendedLifetime(held) {}
    }

    @Test func `a call looks at a limited number of streams, and the next call at the others`() {
        var table = Table()
        var held: [Resident] = []
        for number in 0..<100 {
            let store = Resident()
            _ = table.demand("\(number)") { _ in true }
            _ = table.opened("\(number)", store, stateBytes: 0)
            if number < 50 { held.append(store) }
        }
        #expect(taken(&table, count: 0, most: 20) == [])
        #expect(taken(&table, count: 0, most: 20).first == "50")
        withExtendedLifetime(held) {}
    }

    @Test func `a call for a stream that is being closed waits, and opens it again`() {
        var table = table("a")
        #expect(taken(&table, count: 0) == ["a"])
        #expect(demand(&table, "a") == "wait")
        #expect(table.wait(for: "a") { _ in } == true)
        #expect(table.closed("a") == true)
        #expect(demand(&table, "a") == "wait")
        #expect(table.opened("a", Resident(), stateBytes: 0).count == 1)
    }

    @Test func `a stream that was closed and is not wanted leaves nothing`() {
        var table = table("a")
        #expect(taken(&table, count: 0) == ["a"])
        #expect(table.closed("a") == false)
        #expect(table.isEmpty)
        #expect(table.stateBytes == 0)
    }

    @Test func `a stream that was to be closed and is in use answers those who wait`() throws {
        var table = table("a")
        let resident = try #require(table.takeIdle(count: 0, bytes: nil, most: 1).first)
        #expect(table.wait(for: "a") { _ in } == true)
        #expect(table.stayed(resident).count == 1)
        #expect(demand(&table, "a") == "ready")
    }

    @Test func `a store that has ended is opened again`() {
        var table = table("a")
        guard case .open = table.demand("a", isUsable: { _ in false }) else {
            Issue.record("a is used although it has ended")
            return
        }
        #expect(table.openCount == 0)
        #expect(demand(&table, "a") == "wait")
    }

    @Test func `a long state is measured again after more calls than a short one`() {
        func calls(_ bytes: Int) -> Int {
            var table = Table()
            _ = table.demand("a") { _ in true }
            _ = table.opened("a", Resident(), stateBytes: bytes)
            #expect(table.isToMeasure("a"), "a new state grows fast")
            for _ in 1...30 { table.measured("a", stateBytes: bytes) }
            #expect(!table.isToMeasure("a"))
            return (1...100_000).first { _ in
                if case .ready(_, true) = table.demand("a", isUsable: { _ in true }) { true } else { false }
            } ?? 0
        }
        #expect(calls(0) == 101)
        #expect(calls(1_000_000) == 10_001)
    }

    @Test func `a stream that could not be closed is not measured sooner because of that`() throws {
        var table = Table()
        _ = table.demand("a") { _ in true }
        _ = table.opened("a", Resident(), stateBytes: 1_000_000)
        for _ in 1...30 { table.measured("a", stateBytes: 1_000_000) }
        let taken = try #require(table.takeIdle(count: 0, bytes: nil, most: 1).first)
        #expect(table.stateBytes == 0)
        _ = table.stayed(taken)
        #expect(table.stateBytes == 1_000_000)
        #expect(!table.isToMeasure("a"))
    }
}
