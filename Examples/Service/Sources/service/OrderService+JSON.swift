import Foundation
import JournalStore

// What clients send and get.

extension Request {
    /// The name in `Host`, without the port.
    var hostName: String { headers["host", default: "localhost"].prefix { $0 != ":" }.lowercased() }

    var idempotencyKey: String {
        get throws(Refusal) {
            guard let key = headers["idempotency-key"], (1...200).contains(key.utf8.count),
                key.utf8.allSatisfy({ (33...126).contains($0) })
            else { throw Refusal(.badRequest, "An Idempotency-Key of 1 to 200 characters is needed.") }
            return key
        }
    }

    /// The order in the body.
    var placing: OrderAction {
        get throws(Refusal) {
            struct Body: Decodable { var item: String, cents: Int }
            guard let body = try? JSONDecoder().decode(Body.self, from: Data(self.body)),
                !body.item.isEmpty, (1...10_000_000).contains(body.cents)
            else { throw Refusal(.badRequest, #"The body is an order, as {"item":"tea","cents":450}."#) }
            return .place(item: body.item, cents: body.cents)
        }
    }
}

extension Response {
    /// The answer to an action: it is committed, and its effects have started.
    init(step: Int, rejection: String?) {
        struct Answer: Encodable { var step: Int, error: String? }
        self.init(rejection == nil ? .accepted : .conflict, Answer(step: step, error: rejection))
    }
}

/// A line of the history.
struct PastStep: Encodable {
    var step: Int
    var time: String
    var from: String
    var action: OrderAction
    var rejection: String?
    var status: Order.Status

    init(_ past: ReplayedStep<OrderAction, Order>) {
        (step, time, from) = (past.step, "\(past.entry.time)", "\(past.entry.origin)")
        (action, rejection, status) = (past.action, past.rejection, past.after.status)
    }
}

extension Refusal {
    /// What a client is told about an error. It is written to stderr in full.
    init(_ error: any Error) {
        let known = error as? JournalError
        switch known?.code {
        case .unknownStream: self.init(.notFound, "There is no such order.")
        case .dispatchIDReused: self.init(.conflict, "The Idempotency-Key was used for another action.")
        // After a close, the next process of the service takes the request.
        case _ where known?.isRetryable == true, .closed:
            self.init(.unavailable, "Try again later, with the same key.")
        case let code:
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            self.init(.internalError, "The service has failed (\(code?.rawValue ?? "unknown")).")
        }
    }
}
