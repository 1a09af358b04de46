import JournalStore
import Testing
import TortureKit

@testable import JournalReplayKit

@Suite struct `The states of a live page` {
    @Test func `come from a new process after a reducer has crashed the one before`() async throws {
        let fixture = try Fixture()
        let reader = try JournalReader(path: try await fixture.fragile())
        let states = LiveStates(
            reader, try Machines(own: [ReplayMachine(fragile)], libraries: []),
            ReplayChildren(program: Tool.app, call: [Tool.app]))
        #expect(states.state(of: "a", at: 1) == .success("1"))
        #expect(states.state(of: "c", at: 1) == .success("1"))
        guard case .failure(let error) = states.state(of: "b", at: 2) else {
            throw Fixture.Failure(message: "The reducer did not crash.")
        }
        #expect(error.code == .crashed)
        #expect(states.state(of: "a", at: 2) == .success("3"))
        #expect(states.state(of: "c", at: 1) == .success("1"))
    }
}
