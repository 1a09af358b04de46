import Foundation
import JournalReplayKit
import JournalStore

/// `timer --journal FILE [--interval SECONDS] [--ticks N] [start | stop]…`, and the tool: `timer journal COMMAND …`.
///
/// It prints each state while the timer runs, up to N ticks. Ended or killed in between, the next launch ticks on; only
/// `stop` ends the timer.
@main
struct TimerApp {
    static func main() async {
        do { try await run(Array(CommandLine.arguments.dropFirst())) } catch {
            // An error that main throws ends the program with a backtrace.
            FileHandle.standardError.write(Data("timer: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) async throws {
        if arguments.first == "journal" {
            let machines = [ReplayMachine(machine, environment: environment(.seconds(1)))]
            await ReplayTool(program: "timer journal", machines: machines).main(Array(arguments.dropFirst()))
        }
        guard let options = Options(arguments) else {
            print(Options.usage)
            exit(64)
        }
        let journal = try Journal(path: options.journal)
        let store = try await journal.open(machine, stream: "timer", environment: environment(options.interval))
        print("state: \(store.state)")
        for action in options.actions {
            try await store.dispatch(action)
            print("\(action): \(store.state)")
        }
        if options.ticks > 0, try await !store.liveRuns().isEmpty {
            let last = store.state + options.ticks
            for await state in store.states {
                print("state: \(state)")
                if state >= last { break }
            }
        }
        try await journal.close()
    }
}

private struct Options {
    static let usage =
        "Usage: timer --journal FILE [--interval SECONDS] [--ticks N] [start | stop]…\n       timer journal COMMAND [OPTIONS] FILE"

    var journal = ""
    var interval = Duration.seconds(1)
    var ticks = Int.max / 2
    var actions: [Action] = []

    init?(_ words: [String]) {
        var words = words[...]
        while let word = words.popFirst() {
            switch word {
            case "--journal":
                guard let path = words.popFirst() else { return nil }
                journal = path
            case "--interval":
                guard let seconds = words.popFirst().flatMap(Double.init), (0.001...1_000_000).contains(seconds) else {
                    return nil
                }
                interval = .seconds(seconds)
            case "--ticks":
                guard let count = words.popFirst().flatMap(Int.init), (0...1_000_000_000).contains(count) else {
                    return nil
                }
                ticks = count
            default:
                guard let action = Action(rawValue: word), action != .tick else { return nil }
                actions.append(action)
            }
        }
        if journal.isEmpty { return nil }
    }
}
