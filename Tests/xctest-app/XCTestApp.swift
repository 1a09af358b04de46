import JournalStore
import JournalTesting
import XCTest

/// Runs tests of XCTest whose assertions fail, and prints each failure with its line: the test runner of this package
/// runs no XCTest.
@main struct XCTestApp {
    static func main() {
        let printer = FailurePrinter()
        XCTestObservationCenter.shared.addTestObserver(printer)
        let tests = [
            WrongAssertions(name: "state machine") { try ($0 as? WrongAssertions)?.assertNoOutput() },
            WrongAssertions(name: "store") { test in
                guard let test = test as? WrongAssertions else { return }
                try asyncTest { (test: WrongAssertions) in test.sendWrongly }(test)()
            },
        ]
        for test in tests {
            test.run()
            print("\(test.name): \(test.testRun?.failureCount ?? 0) failed")
        }
    }
}

private final class WrongAssertions: XCTestCase {
    func assertNoOutput() throws {
        let machine = StateMachine<Int, Int, Int>(initial: 0) {
            When(state: 0) { Execute(output: 1) }
        }
        TestStateMachine(machine).assertNoOutput(when: 0)
    }

    func sendWrongly() async throws {
        let machine = Machine("sum", initialState: 0) { (state: inout Int, number: Int) in state += number }
        let store = try await TestStore(machine)
        await store.send(1) { $0 = 7 }
        await store.finish()
    }
}

private final class FailurePrinter: XCTestObservation {
    func testCase(
        _ testCase: XCTestCase, didFailWithDescription description: String, inFile file: String?, atLine line: Int
    ) {
        let name = file?.split(separator: "/").last ?? "?"
        print("\(name):\(line): \(description.split(separator: "\n").first ?? "")")
    }
}
