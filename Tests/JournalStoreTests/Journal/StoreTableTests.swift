import Testing
import TortureKit

@testable import JournalStore

/// Who waits for stores that open and close.
@Suite struct `The table of stores` {
    private final class Calls: Sendable {
        let value = Box<[String]>([])

        func waiter(_ name: String) -> StoreTable.Waiter {
            { [value] in value.change { $0.append(name) } }
        }
    }

    private let calls = Calls()

    /// A table that `#expect` can change.
    private final class Held {
        var table = StoreTable()

        func wait(_ opening: Bool, _ waiter: @escaping StoreTable.Waiter) -> Bool {
            table.wait(for: "a", opening: opening, waiter)
        }

        func waitForReleases(_ waiter: @escaping StoreTable.Waiter) -> Bool { table.waitForReleases(waiter) }
        func endOpening() -> [StoreTable.Waiter] { table.endOpening(of: "a") }
        func endRelease(of stream: String = "a") -> [StoreTable.Waiter] { table.endRelease(of: stream) }
    }

    private func run(_ waiters: [StoreTable.Waiter]) -> [String] {
        for waiter in waiters { waiter() }
        defer { calls.value.change { $0 = [] } }
        return calls.value.value
    }

    @Test func `a stream in which nothing changes is not waited for`() {
        let held = Held()
        held.table.beginRelease(of: "other")
        #expect(!held.table.isChanging("a"))
        for opening in [false, true] { #expect(!held.wait(opening, calls.waiter("a"))) }
    }

    @Test func `an opening is waited for by acts, and not by other openings`() {
        let held = Held()
        held.table.beginOpening(of: "a")
        #expect(held.table.isChanging("a"))
        #expect(!held.wait(false, calls.waiter("opening")))
        #expect(held.wait(true, calls.waiter("act")))
        #expect(run(held.endOpening()) == ["act"])
        #expect(!held.table.isChanging("a"))
    }

    @Test func `the last of several releases calls who waits for the stream, and each only once`() {
        let held = Held()
        held.table.beginRelease(of: "a")
        held.table.beginRelease(of: "a")
        #expect(held.wait(false, calls.waiter("opening")))
        #expect(run(held.endRelease()) == [])
        #expect(run(held.endRelease()) == ["opening"])
        held.table.beginRelease(of: "a")
        #expect(run(held.endRelease()) == [])
    }

    @Test func `who waits for a release only is called although an opening goes on`() {
        let held = Held()
        held.table.beginOpening(of: "a")
        held.table.beginRelease(of: "a")
        #expect(held.wait(false, calls.waiter("opening")))
        #expect(held.wait(true, calls.waiter("act")))
        #expect(run(held.endRelease()) == ["opening"])
        #expect(run(held.endOpening()) == ["act"])
    }

    @Test func `the end of a journal waits for the releases of all streams, and for no openings`() {
        let held = Held()
        held.table.beginOpening(of: "c")
        #expect(!held.waitForReleases(calls.waiter("journal")))
        for name in ["a", "b"] { held.table.beginRelease(of: name) }
        #expect(held.waitForReleases(calls.waiter("journal")))
        #expect(run(held.endRelease()) == [])
        #expect(run(held.endRelease(of: "b")) == ["journal"])
        #expect(!held.waitForReleases(calls.waiter("journal")))
    }
}
