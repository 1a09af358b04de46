import Foundation
import JournalReplayKit
import JournalStore

/// `service --journal FILE [--port N] [--timeout SECONDS] [--connections N] [--charge SECONDS] [--answer SECONDS]`, and the
/// tool: `service journal COMMAND …`.
///
/// It serves orders over HTTP, until SIGTERM. If it is killed, the next launch has each order that was acknowledged,
/// goes on with each payment, and recognizes each request that is repeated.
///
/// ```
/// curl -H 'Idempotency-Key: a' -d '{"item":"tea","cents":450}' localhost:8080/orders/17/place
/// curl -H 'Idempotency-Key: b' -X POST localhost:8080/orders/17/pay
/// curl localhost:8080/orders/17
/// curl localhost:8080/orders/17/history
/// ```
@main
struct ServiceApp {
    static func main() async {
        do { try await run(Array(CommandLine.arguments.dropFirst())) } catch {
            // An error that main throws ends the program with a backtrace.
            FileHandle.standardError.write(Data("service: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) async throws {
        if arguments.first == "journal" {
            // Never called: a replay starts no effect.
            let machines = [ReplayMachine(order, environment: Payments { _, _ in "" })]
            await ReplayTool(program: "service journal", machines: machines).main(Array(arguments.dropFirst()))
        }
        guard let options = Options(arguments) else {
            print(Options.usage)
            exit(64)
        }
        let listener = try Listener(port: options.port)
        let signals = onTermination { listener.stop() }
        var journaling = JournalOptions()
        // Requests share the threads of tasks: none of them waits for the disk.
        journaling.execution = .ownThread
        // Problems that no caller waits for. Without this, a release build says nothing of them.
        journaling.report = { notice in FileHandle.standardError.write(Data("\(notice)\n".utf8)) }
        let journal = try Journal(path: options.journal, options: journaling)
        let bank = try Bank(path: options.journal + ".bank", pauses: options.pauses)
        let orders = try journal.host(order, environment: bank.payments)
        let service = OrderService(orders: orders)
        log("listening on 127.0.0.1:\(listener.port)")

        await Server(listener: listener, limits: options.limits) { await service.answer($0) }.run()

        // A payment that takes longer goes on at the next launch.
        let left = await orders.close(within: .seconds(1))
        for interrupted in left.interrupted { log("still running: \(interrupted.run.name) of \(interrupted.stream)") }
        try await journal.close()
        log("stopped")
        withExtendedLifetime(signals) {}
    }

    private static func log(_ line: String) {
        print(line)
        fflush(nil)
    }
}
