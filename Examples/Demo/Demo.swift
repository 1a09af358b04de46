import Foundation
import JournalReplayKit
import JournalStore

/// `Demo [JOURNAL]` is a shop to be killed: it dispatches actions to a cart and prints each step once it is committed,
/// until it is killed. After a restart the cart continues where it was, and so does the payment that was running.
/// `Demo journal COMMAND …` is the tool, with the cart.
@main
struct Demo {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.first == "journal" {
            // The bank is never called: a replay starts no effect.
            let machine = ReplayMachine(cart, environment: Bank { _ in "" })
            await ReplayTool(program: "Demo journal", machines: [machine]).main(Array(arguments.dropFirst()))
        }
        guard arguments.count < 2, arguments.first?.hasPrefix("-") != true else {
            say("usage: Demo [JOURNAL]\n       Demo journal COMMAND [OPTIONS] JOURNAL")
            exit(64)
        }
        let path = arguments.first ?? "shop.db"
        let bank = Bank { context in
            say("charging, attempt \(context.attempt), idempotency key \(context.idempotencyKey)")
            // A slow bank: the first process is killed before it answers.
            if !context.isResumed { try await context.clock.sleep(for: .seconds(3600)) }
            return "receipt of step \(context.step)"
        }
        let journal = try Journal(path: path)
        let store = try await journal.open(cart, stream: "cart-42", environment: bank)

        let found = store.state
        say("opened \(store.recovery)")
        say("state: \(found.items.values.reduce(0, +)) items, \(found.receipt ?? "not paid")")
        // Each step is printed only after its commit.
        if found == Cart() {
            let dispatched = try await store.dispatch(.pay)
            say("step \(dispatched.step)")
        }
        let items = ["apple", "pear", "plum"]
        var receipt = found.receipt
        var count = found.items.values.reduce(0, +)
        while true {
            let dispatched = try await store.dispatch(.add(count: 1, item: items[count % 3]))
            say("step \(dispatched.step)")
            if let paid = store.state.receipt, paid != receipt {
                say("paid: \(paid)")
                receipt = paid
            }
            count += 1
        }
    }

    /// Prints a line at once, also into a pipe.
    private static func say(_ line: String) {
        print(line)
        fflush(nil)
    }
}
