import JournalReplayKit
import JournalStore
import LedgerMachine

/// `ledger FILE open OWNER`, `ledger FILE pay CENTS WHAT`, `ledger FILE close`, and the tool:
/// `ledger journal COMMAND …`.
@main
struct LedgerApp {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.first == "journal" {
            // The app is its own tool.
            let tool = ReplayTool(program: "ledger journal", machines: [ReplayMachine(ledger)])
            await tool.main(Array(arguments.dropFirst()))
        }
        guard let file = arguments.first, let action = posting(Array(arguments.dropFirst())) else {
            print(
                "Usage: ledger FILE open OWNER | pay CENTS WHAT | close\n       ledger journal COMMAND [OPTIONS] FILE")
            return
        }
        let journal = try Journal(path: file)
        let store = try await journal.open(ledger, stream: "account")
        let dispatched = try await store.dispatch(action)
        print("step \(dispatched.step): \(store.state.balance) cents")
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
