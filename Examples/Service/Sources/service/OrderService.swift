import Foundation
import JournalStore

/// Answers requests about orders. Each order is a stream of the host.
struct OrderService: Sendable {
    let orders: MachineHost<OrderAction, Order>

    func answer(_ request: Request) async -> Response {
        do {
            return try await route(request)
        } catch let refusal as Refusal {
            return Response(refusal)
        } catch {
            return Response(Refusal(error))
        }
    }

    private func route(_ request: Request) async throws -> Response {
        // Against DNS rebinding. A web page of another site cannot send an Idempotency-Key without a preflight request,
        // which is refused.
        guard ["127.0.0.1", "localhost"].contains(request.hostName) else {
            throw Refusal(.misdirectedRequest, "This is not that host.")
        }
        guard let route = Route(request.path) else { throw Refusal(.notFound, "There is no such page.") }
        guard request.method == route.method else {
            var response = Response(Refusal(.methodNotAllowed, "Only \(route.method) is allowed."))
            response.headers["Allow"] = route.method
            return response
        }
        switch route {
        case .order(let stream): return Response(.ok, try await orders.state(of: stream))
        case .history(let stream): return Response(.ok, try await history(of: stream))
        case .place(let stream):
            return try await dispatch(try request.placing, to: stream, id: request.idempotencyKey)
        case .pay(let stream):
            try await checkExists(stream)
            return try await dispatch(.pay, to: stream, id: request.idempotencyKey)
        }
    }

    /// The client's key is the dispatch ID: the same key again is the same step, and gets the same answer.
    private func dispatch(_ action: OrderAction, to stream: String, id: String) async throws -> Response {
        let dispatched = try await orders.dispatch(action, to: stream, id: id, ifFull: .refuse)
        var response = Response(step: dispatched.step, rejection: dispatched.rejection)
        if dispatched.outcome == .repeated { response.headers["Idempotent-Replayed"] = "true" }
        return response
    }

    /// The newest hundred steps.
    private func history(of stream: String) async throws -> [PastStep] {
        try await checkExists(stream)
        let replayer = try await orders.store(for: stream).replayer()
        let last = try replayer.lastStep
        return last == 0 ? [] : try replayer.steps(max(1, last - 99)...last).map(PastStep.init)
    }

    /// Only the first `place` makes an order.
    private func checkExists(_ stream: String) async throws(JournalError) {
        _ = try await orders.state(of: stream)
    }
}
