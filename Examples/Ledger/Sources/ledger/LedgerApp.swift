import Foundation
import JournalReplayKit
import JournalStore
import LedgerMachine

/// `ledger --journal FILE open OWNER | pay CENTS WHAT | close`, and the tool: `ledger journal COMMAND …`.
///
/// Each launch makes one posting. Whenever it is killed, the journal has each step that was printed.
@main
struct LedgerApp {
    static func main() async {
        do { try await run(Array(CommandLine.arguments.dropFirst())) } catch {
            // An error that main throws ends the program with a backtrace.
            FileHandle.standardError.write(Data("ledger: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) async throws {
        if arguments.first == "journal" {
            // The app is its own tool.
            let tool = ReplayTool(program: "ledger journal", machines: [ReplayMachine(ledger)])
            await tool.main(Array(arguments.dropFirst()))
        }
        guard arguments.count > 2, arguments[0] == "--journal", let action = posting(Array(arguments.dropFirst(2)))
        else {
            print(
                "Usage: ledger --journal FILE open OWNER | pay CENTS WHAT | close\n"
                    + "       ledger journal COMMAND [OPTIONS] FILE")
            exit(64)
        }
        let journal = try Journal(path: arguments[1])
        let store = try await journal.open(ledger, stream: "account")
        let dispatched = try await store.dispatch(action)
        if let reason = dispatched.rejection {
            print("step \(dispatched.step) is rejected: \(reason)")
        } else {
            print("step \(dispatched.step): \(store.state.balance) cents")
        }
        try await journal.close()
    }

    private static func posting(_ words: [String]) -> Posting? {
        switch words.first {
        case "open" where words.count == 2: .open(owner: words[1])
        case "pay" where words.count == 3: Int(words[1]).map { .pay(cents: $0, what: words[2]) }
        case "close" where words.count == 1: .close
        default: nil
        }
    }
}
