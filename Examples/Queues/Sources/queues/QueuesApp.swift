import Foundation
import JournalReplayKit
import JournalStore

/// `queues --journal FILE [--seconds N] ITEM…`, and the tool: `queues journal COMMAND …`.
///
/// It fetches the items, at most three at once, and ends when all are there. If it is killed before that, the next
/// launch fetches the rest. An item that an earlier launch has asked for is not fetched again.
@main
struct QueuesApp {
    static func main() async {
        do { try await run(Array(CommandLine.arguments.dropFirst())) } catch {
            // An error that main throws ends the program with a backtrace.
            FileHandle.standardError.write(Data("queues: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) async throws {
        if arguments.first == "journal" {
            // Replaying fetches nothing.
            let machines = [ReplayMachine(machine, environment: Environment { _ in Data() })]
            await ReplayTool(program: "queues journal", machines: machines).main(Array(arguments.dropFirst()))
        }
        guard let options = Options(arguments) else {
            print(Options.usage)
            exit(64)
        }
        let journal = try Journal(path: options.journal)
        let environment = Environment { id in
            print("fetch \(id)")
            try await Task.sleep(for: .seconds(options.seconds))
            print("fetched \(id)")
            return Data(id.utf8)
        }
        let store = try await journal.open(machine, stream: "download", environment: environment)
        // The ID makes it the same dispatch in each launch.
        for item in options.items { try await store.dispatch(.fetch(id: item), id: item) }
        await store.join()
        try await journal.close()
    }
}

private struct Options {
    static let usage =
        "Usage: queues --journal FILE [--seconds N] ITEM…\n       queues journal COMMAND [OPTIONS] FILE"

    var journal = ""
    var seconds = 0.0
    var items: [String] = []

    init?(_ words: [String]) {
        var words = words[...]
        while let word = words.popFirst() {
            switch word {
            case "--journal":
                guard let path = words.popFirst() else { return nil }
                journal = path
            case "--seconds":
                guard let count = words.popFirst().flatMap(Double.init), (0...1_000_000).contains(count) else {
                    return nil
                }
                seconds = count
            default:
                items.append(word)
            }
        }
        if journal.isEmpty { return nil }
    }
}
