import Foundation
import JournalStore

// The app that operators act on while it runs and is killed: `replay-app desk FILE OUTSIDE` opens forty orders and waits
// to be killed, and `replay-app desk FILE OUTSIDE drain` lets all effects end.

enum DeskAction: Codable, Sendable, Equatable {
    case open, delivered, withdrawn
}

struct Desk: Codable, Sendable, Equatable {
    var delivered = 0
    var withdrawn = 0
}

struct DeskEnvironment: Sendable {
    /// The file in which each delivery writes its idempotency key.
    var outside = "/dev/null"
    /// Whether nothing takes long.
    var drains = true
}

let desk = Machine<DeskAction, Desk, DeskEnvironment>("desk", initialState: Desk()) { action, state, environment in
    switch action {
    case .open: return .run("deliver") { try await deliver(environment, $0) }.onCancel(.withdrawn)
    case .delivered: state.delivered += 1
    case .withdrawn: state.withdrawn += 1
    }
    return .none
}

private func deliver(_ environment: DeskEnvironment, _ context: EffectContext) async throws -> DeskAction {
    if !environment.drains {
        // Every third order waits for an operator.
        let isSlow = context.stream.hasSuffix("0") || context.stream.hasSuffix("3") || context.stream.hasSuffix("6")
        try await context.clock.sleep(for: isSlow ? .seconds(3600) : .milliseconds(20))
    }
    try await context.step("note") {
        // Appended as a whole: a process that is being killed can still write while the next one does.
        let descriptor = Foundation.open(environment.outside, O_WRONLY | O_APPEND | O_CLOEXEC)
        guard descriptor >= 0 else { throw CocoaError(.fileNoSuchFile) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try file.write(contentsOf: Data("\(context.stream) \(context.idempotencyKey)\n".utf8))
        return true
    }
    return .delivered
}

func runDesk(_ path: String, outside: String, drains: Bool) async throws {
    var options = Journal.Options()
    options.durability = .normal
    let journal = try Journal(path: path, options: options)
    var hosting = HostOptions()
    // It is killed on purpose.
    hosting.opening.crashLoopLimit = .max
    let host = try journal.host(
        desk, environment: DeskEnvironment(outside: outside, drains: drains), options: hosting)
    if drains {
        _ = await host.recovery()
        for stream in try journal.reader.streams() { await (try await host.store(for: stream.name)).join() }
        await host.close()
        return try await journal.close()
    }
    print("open")
    fflush(nil)
    let first = try journal.reader.streams().count
    // Not without end: on a busy machine the operators take long, and the test would wait for thousands of orders.
    for number in first..<first + 40 {
        try await host.dispatch(.open, to: "order-\(number)", id: "open")
        try await Task.sleep(for: .milliseconds(15))
    }
    try await Task.sleep(for: .seconds(3600))
    withExtendedLifetime(host) {}
}
