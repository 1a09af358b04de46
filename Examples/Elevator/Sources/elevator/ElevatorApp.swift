import ElevatorMachine
import Foundation
import JournalReplayKit
import JournalStore

/// `elevator --journal FILE [--seconds N] [enter N | close]…`, `elevator diagram mermaid|graphviz`, and the tool:
/// `elevator journal COMMAND …`.
///
/// It sends the events, waits until a closing door has locked, and ends. If it is killed before that, the next launch
/// closes the door.
@main
struct ElevatorApp {
    static func main() async {
        do { try await run(Array(CommandLine.arguments.dropFirst())) } catch {
            // An error that main throws ends the program with a backtrace.
            FileHandle.standardError.write(Data("elevator: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) async throws {
        switch arguments.first {
        case "journal":
            // The app is its own tool.
            let machines = [ReplayMachine(machine(engine: Engine(delay: .zero)))]
            await ReplayTool(program: "elevator journal", machines: machines).main(Array(arguments.dropFirst()))
        case "diagram":
            let format: DiagramFormat = arguments.last == "graphviz" ? .graphviz : .mermaid
            print(stateMachine.diagram(format, states: samples.states, events: samples.events), terminator: "")
        default:
            guard let options = Options(arguments) else {
                print(Options.usage)
                exit(64)
            }
            try await run(options)
        }
    }

    private static func run(_ options: Options) async throws {
        let journal = try Journal(path: options.journal)
        let engine = Engine(delay: .seconds(options.seconds))
        let store = try await journal.open(machine(engine: engine), stream: "elevator")
        print("state: \(store.state)")
        for event in options.events {
            switch try await store.reply(to: event) {
            case .success(_, let from, let to): print("\(from) → \(to)")
            case .failure(_, let from, _): print("refused in \(from)")
            }
        }
        for await state in store.states {
            if case .closing = state { continue }
            break
        }
        print("state: \(store.state)")
        try await journal.close()
    }
}

private struct Options {
    static let usage =
        "Usage: elevator --journal FILE [--seconds N] [enter N | close]…\n"
        + "       elevator diagram mermaid | graphviz\n       elevator journal COMMAND [OPTIONS] FILE"

    var journal = ""
    var seconds = 0
    var events: [Event] = []

    init?(_ words: [String]) {
        var words = words[...]
        while let word = words.popFirst() {
            switch word {
            case "--journal":
                guard let path = words.popFirst() else { return nil }
                journal = path
            case "--seconds":
                guard let count = words.popFirst().flatMap(Int.init) else { return nil }
                seconds = count
            case "enter":
                guard let count = words.popFirst().flatMap(Int.init) else { return nil }
                events.append(.personsHaveEntered(persons: count))
            case "close": events.append(.closeButtonWasPressed)
            default: return nil
            }
        }
        if journal.isEmpty { return nil }
    }
}
