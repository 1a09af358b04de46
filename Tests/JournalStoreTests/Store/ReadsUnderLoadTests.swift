import Dispatch
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
            return broadcast.waitForState(.seconds(60))
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
        #expect(broadcast.waitForState(.milliseconds(1)) == nil)
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
}
