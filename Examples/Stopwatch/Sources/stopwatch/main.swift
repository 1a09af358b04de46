import Foundation
import JournalReplayKit
import JournalStore

// `stopwatch --journal FILE [start | stop | reset | SECONDS]…`, and the tool: `stopwatch journal COMMAND …`.
//
// A number lets that many seconds pass. A stopwatch that runs when the process ends, or is killed, runs after the next
// launch.

let arguments = Array(CommandLine.arguments.dropFirst())
if arguments.first == "journal" {
    let machine = Machine(
        "stopwatch", initialState: 0, update: updateStopwatch, effect: createStopwatchEffect())
    let tool = ReplayTool(program: "stopwatch journal", machines: [ReplayMachine(machine)])
    Task { await tool.main(Array(arguments.dropFirst())) }
    dispatchMain()
}
let words = arguments.dropFirst(2)
guard arguments.count > 1, arguments[0] == "--journal",
    words.allSatisfy({ StopwatchAction(rawValue: $0) != nil || TimeInterval($0) != nil })
else {
    print(
        "Usage: stopwatch --journal FILE [start | stop | reset | SECONDS]…\n       stopwatch journal COMMAND [OPTIONS] FILE"
    )
    exit(64)
}
do {
    let store = try PlainStore(
        state: 0, update: updateStopwatch, effect: createStopwatchEffect(), journal: arguments[1], name: "stopwatch")
    print("state: \(store.state)")
    for word in words {
        if let action = StopwatchAction(rawValue: word) {
            try store.dispatch(action)
        } else if let seconds = TimeInterval(word) {
            Thread.sleep(forTimeInterval: seconds)
        }
        print("\(word): \(store.state)")
    }
    try store.close()
} catch {
    // Without this the program would end with a backtrace.
    FileHandle.standardError.write(Data("stopwatch: \(error)\n".utf8))
    exit(1)
}
