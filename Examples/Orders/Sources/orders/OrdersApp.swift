import Foundation
import JournalReplayKit
import JournalStore

/// `orders --journal FILE [--orders N] [--open N] [--packs N]`, and the tool: `orders journal COMMAND …`.
///
/// It places N orders and waits until as many are shipped. If it is killed before that, the next launch goes on. With
/// `--packs N`, a launch packs only N of them, and the others wait.
@main
struct OrdersApp {
    static func main() async {
        do { try await run(Array(CommandLine.arguments.dropFirst())) } catch {
            // An error that main throws ends the program with a backtrace.
            FileHandle.standardError.write(Data("orders: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) async throws {
        let wait = Duration.seconds(2)
        if arguments.first == "journal" {
            // Nothing is packed: a replay starts no effect.
            let warehouse = Warehouse(pack: { _ in }, wait: wait)
            let machines = [ReplayMachine(order, environment: warehouse), ReplayMachine(tally)]
            await ReplayTool(program: "orders journal", machines: machines).main(Array(arguments.dropFirst()))
        }
        guard let options = Options(arguments) else {
            print(Options.usage)
            exit(64)
        }
        let packer = Packer(packs: options.packs)
        let warehouse = Warehouse(pack: { _ in try await packer.pack() }, wait: wait)
        let journal = try Journal(path: options.journal)
        let shipped = try await journal.open(tally, stream: "tally")
        var hosting = HostOptions()
        hosting.maxOpenStreams = options.open
        let orders = try journal.host(order, environment: warehouse, options: hosting)
        try await place(options.orders, orders)
        // A loop that falls behind misses states, so the numbers need not be round.
        var printed = 0
        for await count in shipped.states {
            let isLast = count >= options.orders
            if isLast || count >= printed + 1_000 {
                print("\(count) shipped")
                printed = count
            }
            if isLast { break }
        }
        try await journal.close()
    }

    /// Places all orders, a hundred at a time: what is dispatched at once shares transactions.
    private static func place(_ count: Int, _ orders: MachineHost<OrderAction, Order>) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...count {
                if number > 100 { try await group.next() }
                // The ID makes it the same dispatch in each launch.
                group.addTask { _ = try await orders.dispatch(.place, to: "order-\(number)", id: "place") }
            }
            try await group.waitForAll()
        }
    }
}

/// Packs so many orders, each in a moment, and then goes home.
private actor Packer {
    private var packs: Int

    init(packs: Int) { self.packs = packs }

    func pack() async throws {
        packs -= 1
        try await Task.sleep(for: packs >= 0 ? .milliseconds(20) : .seconds(86_400))
    }
}

private struct Options {
    static let usage =
        "Usage: orders --journal FILE [--orders N] [--open N] [--packs N]\n       orders journal COMMAND [OPTIONS] FILE"

    var journal = ""
    var orders = 10_000
    var open = 500
    var packs = Int.max

    init?(_ words: [String]) {
        var words = words[...]
        while let word = words.popFirst() {
            guard let value = words.popFirst() else { return nil }
            switch (word, Int(value)) {
            case ("--journal", _): journal = value
            case ("--orders", let count?) where count > 0: orders = count
            case ("--open", let count?) where count > 0: open = count
            case ("--packs", let count?) where count >= 0: packs = count
            default: return nil
            }
        }
        if journal.isEmpty { return nil }
    }
}
