import Foundation
import JournalReplayKit
import JournalStore

/// `checkout --journal FILE [--orders N] [--pause MILLISECONDS] [--silent JOB]`, and the tool:
/// `checkout journal COMMAND …`.
///
/// It buys N orders, cancels each seventh one, and waits until each is shipped or undone. If it is killed before that,
/// the next launch goes on. With `--silent`, that job is done but never answered.
@main
struct CheckoutApp {
    static func main() async {
        do { try await run(Array(CommandLine.arguments.dropFirst())) } catch {
            // An error that main throws ends the program with a backtrace.
            FileHandle.standardError.write(Data("checkout: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) async throws {
        if arguments.first == "journal" {
            let services = Services(perform: { _, _ in }, undo: { _, _ in })
            let machines = [ReplayMachine(order, environment: services)]
            await ReplayTool(program: "checkout journal", machines: machines).main(Array(arguments.dropFirst()))
        }
        guard let options = Options(arguments) else {
            print(Options.usage)
            exit(64)
        }
        let journal = try Journal(path: options.journal)
        let outside = try Outside(
            path: options.journal + ".outside", pause: .milliseconds(options.pause), silent: options.silent)
        let orders = try journal.host(order, environment: outside.services)
        try await withThrowingTaskGroup { group in
            for number in 1...max(1, options.orders) {
                group.addTask {
                    let name = "order-\(number)"
                    // The ID makes it the same dispatch in each launch.
                    try await orders.dispatch(.buy, to: name, id: "buy")
                    if number.isMultiple(of: 7) { try await orders.dispatch(.cancel, to: name, id: "cancel") }
                    let store = try await orders.store(for: name)
                    for await state in store.states where state.phase == .shipped || state.phase == .cancelled {
                        return state.phase
                    }
                    return .running
                }
            }
            var counts: [Order.Phase: Int] = [:]
            for try await phase in group { counts[phase, default: 0] += 1 }
            print("\(counts[.shipped, default: 0]) shipped, \(counts[.cancelled, default: 0]) cancelled")
        }
        try await journal.close()
    }
}

private struct Options {
    static let usage =
        "Usage: checkout --journal FILE [--orders N] [--pause MILLISECONDS] [--silent JOB]\n"
        + "       checkout journal COMMAND [OPTIONS] FILE"

    var journal = ""
    var orders = 20
    var pause = 50
    var silent: String?

    init?(_ words: [String]) {
        var words = words[...]
        while let word = words.popFirst() {
            guard let value = words.popFirst() else { return nil }
            switch (word, Int(value)) {
            case ("--journal", _): journal = value
            case ("--silent", _): silent = value
            case ("--orders", let count?) where count > 0: orders = count
            case ("--pause", let pause?) where pause >= 0: self.pause = pause
            default: return nil
            }
        }
        if journal.isEmpty { return nil }
    }
}
