import JournalStore

/// What an order needs from other services, in this order.
enum Job: String, Codable, Sendable, CaseIterable {
    case reserve, charge, ship

    var next: Job? { Job.allCases.drop { $0 != self }.dropFirst().first }
}

struct Order: Codable, Sendable, Equatable {
    enum Phase: String, Codable { case new, running, undoing, shipped, cancelled }

    var phase = Phase.new
    /// Names the order to the services. Random, but the same in each replay.
    var key = ""
    /// What may have happened outside, oldest first: what has to be undone if the order is cancelled.
    var done: [Job] = []
    var problem: String?
}

enum OrderAction: Codable, Sendable {
    case buy, cancel
    /// A service has done its job.
    case did(Job)
    /// A service refuses its job for good, or does not answer.
    case failed(Job, String)
    /// The job was cancelled while it ran, so nobody knows whether the service has done it.
    case interrupted(Job)
    /// A job is undone, or will never be done.
    case undid(Job)
    /// The undo was cancelled while it ran.
    case undoInterrupted
}

/// The services. Each call is safe to repeat with the same key.
struct Services: Sendable {
    var perform: @Sendable (Job, _ key: String) async throws -> Void
    var undo: @Sendable (Job, _ key: String) async throws -> Void
}

/// A service says no: a retry is of no use.
struct Refused: Error {}

let order = Machine<OrderAction, Order, Services>("order", initialState: Order()) { action, order, services, step in
    switch action {
    case .buy:
        guard order.phase == .new else { return .reject("It was bought before.") }
        order.phase = .running
        order.key = step.uuid().uuidString
        return perform(.reserve, order, services)
    case .did(let job) where order.phase == .running:
        order.done.append(job)
        if let next = job.next { return perform(next, order, services) }
        order.phase = .shipped
        return .none
    case .cancel:
        guard order.phase == .running else { return .reject("It is \(order.phase).") }
        // Its cancel action, `interrupted`, follows.
        return .cancel(id: "job")
    case .failed(let job, let problem):
        order.problem = "\(job): \(problem)"
        return undo(job, &order, services)
    case .interrupted(let job), .did(let job):
        return undo(job, &order, services)
    case .undid(let job):
        // A cancelled undo that an operator has retried can end beside the one that took its place.
        guard order.phase == .undoing, order.done.last == job else { return .reject("It is undone already.") }
        order.done.removeLast()
        return undoNext(&order, services)
    case .undoInterrupted:
        guard order.phase == .undoing else { return .reject("It is \(order.phase).") }
        return undoNext(&order, services)
    }
}

private func perform(_ job: Job, _ order: Order, _ services: Services) -> Effect<OrderAction> {
    .run("\(job)", id: "job", retry: .exponential(maxAttempts: 20).except(Refused.self)) { [key = order.key] in
        try await services.perform(job, key)
        return .did(job)
    }
    .onFailure { .failed(job, "\(type(of: $0))") }
    .onCancel(.interrupted(job))
}

/// Undoes this job and those before it. Without an answer nobody knows whether the service has done it.
private func undo(_ job: Job, _ order: inout Order, _ services: Services) -> Effect<OrderAction> {
    if order.phase == .undoing {
        // An operator has retried the job, and an undo runs: this one comes after the others.
        order.done.insert(job, at: 0)
        return .none
    }
    order.phase = .undoing
    order.done.append(job)
    return undoNext(&order, services)
}

/// Undoes the newest job, or ends the order. An undo is repeated until it succeeds.
private func undoNext(_ order: inout Order, _ services: Services) -> Effect<OrderAction> {
    guard let job = order.done.last else {
        order.phase = .cancelled
        return .none
    }
    return .run("undo \(job)", retry: .exponential(maxAttempts: .max)) { [key = order.key] in
        try await services.undo(job, key)
        return .undid(job)
    }
    // Without it, the order would be half undone for ever.
    .onCancel(.undoInterrupted)
}
