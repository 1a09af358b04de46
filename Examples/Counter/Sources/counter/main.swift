import Foundation
import JournalReplayKit
import JournalStore

// `counter --journal FILE [increment | decrement | reset]…`, and the tool: `counter journal COMMAND …`.
//
// If it is killed, the next launch goes on with the state after the last action that was printed.

enum CounterAction: String, Codable {
    case increment, decrement, reset
}

func updateCounter(state: inout Int, action: CounterAction) {
    switch action {
    case .increment:
        state += 1
    case .decrement:
        state = max(0, state - 1)
    case .reset:
        state = 0
    }
}

let arguments = Array(CommandLine.arguments.dropFirst())
let actions = arguments.dropFirst(2).compactMap(CounterAction.init)
if arguments.first == "journal" {
    let machine = Machine("counter", initialState: 0, update: updateCounter)
    let tool = ReplayTool(program: "counter journal", machines: [ReplayMachine(machine)])
    Task { await tool.main(Array(arguments.dropFirst())) }
    dispatchMain()
}
guard arguments.first == "--journal", arguments.count == actions.count + 2 else {
    print(
        "Usage: counter --journal FILE [increment | decrement | reset]…\n       counter journal COMMAND [OPTIONS] FILE")
    exit(64)
}
do {
    let store = try PlainStore(state: 0, update: updateCounter, journal: arguments[1], name: "counter")
    print("state: \(store.state)")
    for action in actions {
        try store.dispatch(action)
        print("\(action): \(store.state)")
    }
    try store.close()
} catch {
    // Without this the program would end with a backtrace.
    FileHandle.standardError.write(Data("counter: \(error)\n".utf8))
    exit(1)
}
