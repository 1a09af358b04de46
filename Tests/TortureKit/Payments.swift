import Foundation
import JournalStore

/// Pays orders through a service, in a process that is killed again and again. Each order must be charged once, and be
/// paid or refused.
package struct Payments: Sendable {
    enum Action: Codable, Sendable, Equatable {
        case order(Int)
        case paid(Int)
        case refused(Int)
        case failed(Int)
        case remind(Int)
    }

    struct Books: Codable, Sendable, Equatable {
        var open: Set<Int> = []
        var paid: Set<Int> = []
        var refused: Set<Int> = []
        var failed: Set<Int> = []
        var reminders = 0
    }

    struct Charge: Codable, Sendable { var order: Int }
    struct Till: Oldest1SuspendNewEffectQueue {}
    struct Counters: Codable, Sendable, Equatable { var paid: Set<Int> = [] }

    /// Receives a message for each payment.
    static let ledger = Machine<Int, Counters, Void>("ledger", initialState: Counters()) { counters, order in
        precondition(counters.paid.insert(order).inserted, "an order was delivered twice")
    }

    /// A third of the effects are closures, a third are described, a third wait in a queue; all have remembered steps.
    static let shop: Machine<Action, Books, UInt16> = {
        let pay: @Sendable (Int, UInt16, EffectContext) async throws -> Action? = { order, port, context in
            try await context.step("look") { usleep(UInt32(order % 3) * 300) }
            let isPaid = try await context.step("charge") {
                try PaymentClient.charge(order, key: context.idempotencyKey, port: port)
            }
            return isPaid ? .paid(order) : .refused(order)
        }
        let reducer = Reducer<Action, Books, UInt16> { action, books, port in
            switch action {
            case .order(let order):
                books.open.insert(order)
                let retry = RetryPolicy.constant(maxAttempts: 1000, delay: .milliseconds(2))
                let work: Effect<Action> =
                    switch order % 3 {
                    case 0: .run("charge", id: order, retry: retry) { try await pay(order, port, $0) }
                    case 1: .perform(Charge(order: order), id: order, retry: retry)
                    default: .run("charge", id: order, queue: Till(), retry: retry) { try await pay(order, port, $0) }
                    }
                return work.onFailure(.failed(order)) + .after(.milliseconds(20), .remind(order), id: "remind \(order)")
            case .paid(let order):
                books.open.remove(order)
                books.paid.insert(order)
                return .cancel(id: "remind \(order)")
            case .refused(let order):
                books.open.remove(order)
                books.refused.insert(order)
            case .failed(let order):
                books.open.remove(order)
                books.failed.insert(order)
            case .remind:
                books.reminders += 1
            }
            return .none
        }
        .handling(Charge.self) { charge, port, context in try await pay(charge.order, port, context) }
        return Machine("shop", initialState: Books(), reducer: reducer)
            .connected(to: ledger, stream: "ledger") { step in
                if case .paid(let order) = step.action { order } else { nil }
            }
    }()

    /// The child: dispatches orders, prints a line after the first, and ends when each is paid or refused.
    package static func work(_ path: String, port: UInt16, orders: Int, findsCrashLoops: Bool) async throws {
        let journal = try Journal(path: path)
        var options = OpenOptions()
        if !findsCrashLoops { options.crashLoopLimit = nil }
        let store = try await journal.open(shop, stream: "shop", environment: port, options: options)
        if let parked = try await store.liveRuns().first(where: { $0.status == .parked }) {
            throw Child.Failure(message: "kills from outside have parked '\(parked.name)' of step \(parked.step)")
        }
        let ledger = try await journal.open(ledger, stream: "ledger")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for order in 1...orders {
                group.addTask { try await store.dispatch(.order(order), id: "order-\(order)") }
            }
            try await group.next()
            print("started")
            fflush(nil)
            try await group.waitForAll()
        }
        for await books in store.states {
            guard books.failed.isEmpty else { throw Child.Failure(message: "the orders \(books.failed) have failed") }
            if books.open.isEmpty && books.paid.count + books.refused.count == orders { break }
        }
        let paid = store.state.paid
        for await counters in ledger.states where counters.paid == paid { break }
        try await journal.close()
        print("done")
        fflush(nil)
    }

    package var rounds: Int
    package var seed: UInt64
    package var program: String

    package struct Result: Sendable {
        package var rounds = 0
        package var orders = 0
        package var requests = 0
        /// How often another process read the journal meanwhile.
        package var looks = 0
        /// How often an effect was started again.
        package var resumed = 0
        package var problems: [String] = []
    }

    package init(rounds: Int, seed: UInt64, program: String = Child.program("journal-torture")) {
        self.rounds = rounds
        self.seed = seed
        self.program = program
    }

    package func run(progress: (Result) -> Void = { _ in }) async throws -> Result {
        var random = SplitMix(seed: seed)
        var result = Result()
        // Several journals one after the other, so that each is killed often and still completes.
        while result.rounds < rounds, result.problems.isEmpty {
            let server = try PaymentServer()
            let folder = try TemporaryFolder()
            let path = folder.path("shop.db")
            let kills = min(25, rounds - result.rounds)
            let orders = Int.random(in: 20...60, using: &random)
            let words = ["pay", path, "\(server.port)", "\(orders)", Bool.random(using: &random) ? "watch" : "ignore"]
            for kill in 0..<kills {
                let child = try Child(program, words)
                // Half of the kills wait for the first order: on a slow machine the others may come before it.
                if kill.isMultiple(of: 2) { _ = child.line() }
                // Meanwhile this process reads the journal.
                let end = Date().addingTimeInterval(Double.random(in: 0...0.09, using: &random))
                while Date() < end { try look(path, &result) }
                child.kill()
                child.wait()
                result.rounds += 1
                progress(result)
            }
            result.orders += orders
            let child = try Child(program, words)
            if child.line() != "started" || child.line() != "done" {
                result.problems.append("the last child did not complete")
            }
            child.wait()
            try check(path, server.books, orders, &result)
            result.requests += server.books.requests
        }
        return result
    }

    /// Checks that no effect is listed as live after its only action was journaled, and that settled orders have one.
    private func look(_ path: String, _ result: inout Result) throws {
        guard FileManager.default.fileExists(atPath: path), let database = Plain(path) else {
            usleep(2000)
            return
        }
        result.looks += 1
        for line in database.rows(
            """
            SELECT 'effect ' || running_effects.step || ' is shown as ' || running_effects.status || ', and has sent its action'
            FROM running_effects JOIN stream ON stream.name = running_effects.stream
            JOIN entry ON entry.stream = stream.id AND entry.origin = 1
                AND entry.cause_step = running_effects.step AND entry.cause_run = running_effects.effect
            UNION ALL
            SELECT 'order ' || entry.step || ' is settled, and has no effect'
            FROM entry JOIN stream ON stream.id = entry.stream
            WHERE stream.name = 'shop' AND entry.step <= stream.settled_step AND entry.origin = 0
                AND NOT EXISTS (
                    SELECT 1 FROM effect_run WHERE effect_run.stream = stream.id AND effect_run.step = entry.step)
            """)
        { result.problems.append("\(path) (seed \(seed)), seen by another process: \(line)") }
    }

    private func check(_ path: String, _ books: PaymentServer.Account, _ orders: Int, _ result: inout Result) throws {
        let reader = try JournalReader(path: path)
        func problem(_ text: String) { result.problems.append("\(path) (seed \(seed)): \(text)") }
        for order in 1...orders {
            let keys = books.charges[order]?.count ?? 0
            if keys != (PaymentServer.isRefused(order) ? 0 : 1) { problem("order \(order) was charged \(keys) times") }
        }
        var ends: [String: Int] = [:]
        for entry in try reader.entries(in: "shop", limit: .max) where entry.origin == .effect {
            if !entry.action.contains("remind") { ends[entry.action, default: 0] += 1 }
        }
        if ends.count != orders { problem("\(ends.count) of \(orders) orders were paid or refused") }
        for (action, count) in ends where count != 1 || action.contains("failed") {
            problem("\(count) times \(action)")
        }
        if try reader.entries(in: "ledger", limit: .max).count != books.charges.count {
            problem("the ledger does not match the service's charges")
        }
        for stream in ["shop", "ledger"] {
            for run in try reader.liveRuns(in: stream) {
                problem("\(run.name) of step \(run.step) is \(run.status.rawValue)")
            }
        }
        result.resumed += try reader.effectRuns(in: "shop").map { max(0, $0.attempts - 1) }.reduce(0, +)
        let report = try reader.verify()
        if !report.isSound { problem("\(report.problems)") }
    }
}
