import Testing
import TortureKit

/// The runner of these tests runs no XCTest, so a program of its own does.
#if os(Linux)
    @Suite struct `Failures in XCTest` {
        @Test func `a failed assertion fails the test, at the line of the call`() async throws {
            let outcome = try await Child.run(Child.program("xctest-app"), [])
            #expect(
                outcome.output == """
                    XCTestApp.swift:30: failed - The output in the state 0 is 1, and none is expected.
                    WrongAssertions.state machine: 1 failed
                    XCTestApp.swift:36: failed - The state after step 1 (Int) is not the expected one; expected → found:
                    WrongAssertions.store: 1 failed

                    """)
        }
    }
#endif
