import Dispatch
import Foundation
import Testing
import TortureKit

@testable import JournalStore

/// A store without a second state has none to read while its reducer runs, which can be nearly always.
@Suite struct `Reading a state while a store is busy` {
    @Test func `a reader gets the next state that is published, although it is withdrawn at once`() async throws {
        let broadcast = StateBroadcast(StateBox(0), step: 0)
        broadcast.withdraw()
        let isFound = Box(false)
        async let reading: (state: Int, step: Int)? = onThread {
            defer { isFound.change { $0 = true } }
            switch broadcast.addReader() {
            case .state(let state, let step): return (state, step)
            case .reader(let reader): return broadcast.state(for: reader, waiting: .never)
            }
        }
        var step = 0
        while !isFound.value {
            step += 1
            broadcast.publish(StateBox(step), step: step)
            broadcast.withdraw()
            await Task.yield()
        }
        let found = try await reading
        #expect(found != nil)
        #expect(found?.state == found?.step)
    }

    @Test func `a reader that waits in vain is forgotten, and a demand for a second state is passed on once`() {
        let broadcast = StateBroadcast(StateBox(0), step: 0)
        broadcast.withdraw()
        guard case .reader(let reader) = broadcast.addReader() else {
            Issue.record("There is no state to read.")
            return
        }
        #expect(broadcast.state(for: reader, waiting: .milliseconds(1)) == nil)
        broadcast.remove(reader)
        #expect(broadcast.publish(StateBox(1), step: 1) == false)
        broadcast.demand()
        broadcast.withdraw()
        #expect(broadcast.publish(StateBox(2), step: 2))
        broadcast.withdraw()
        #expect(broadcast.publish(StateBox(3), step: 3) == false)
    }

    /// Ends only if each reader gets its state while the load lasts.
    @Test func `the load does not keep readers and listeners waiting`() async throws {
        let store = try await Journal.inMemory().openPlay()
        let isOver = Box(false)
        let load = Task {
            let actions = Array(repeating: Play.add(1), count: 200)
            while !isOver.value { try await store.dispatch(contentsOf: actions) }
        }
        try await onThread {
            for _ in 1...100 {
                let (state, step) = store.newest
                #expect(state.sum == step)
            }
        }
        for _ in 1...20 {
            var states = try await onThread { store.states }.makeAsyncIterator()
            #expect(await states.next() != nil)
        }
        isOver.change { $0 = true }
        try await load.value
        try await store.close()
    }

    /// A read of the state computes it again while a reducer is slow, until the reducer returns.
    @Test func `a read beside a slow reducer does not replay the stream to its end, and later ones need not wait`()
        async throws
    {
        let calls = Box(0)
        let (slow, door) = (Signal(), DispatchSemaphore(value: 0))
        let machine = Machine<Int, Int, Void>("slow", initialState: 0) { sum, number in
            calls.change { $0 += 1 }
            sum += number
            if number == 1_000 {
                slow.send()
                door.wait()
            } else if calls.value > 300 {
                // The computation of the reader has begun.
                door.signal()
                Thread.sleep(forTimeInterval: 0.001)
            }
        }
        let journal = try Journal.inMemory(
            options: changed(Journal.Options()) {
                $0.reducesTwice = false
                $0.snapshots = .never
            })
        let store = try await journal.open(machine, stream: "a")
        for _ in 1...300 { try await store.dispatch(1) }
        // It blocks its thread.
        let last = Task(executorPreference: OrderedExecutor()) { try await store.dispatch(1_000) }
        await slow.wait()
        let sum = try await onThread { store.state }
        #expect(sum == 1_300)
        #expect(calls.value < 500, "it was not replayed to the end")
        _ = try await last.value
        try await journal.close()
    }
}
