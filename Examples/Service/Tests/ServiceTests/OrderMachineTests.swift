import Testing

@testable import service

@Suite struct `The machine of an order` {
    private let payments = Payments { _, _ in "R-1" }

    @Test func `an order whose payment was cancelled cannot be paid again, also if it had been declined before`() {
        for status in [Order.Status.paying, .placed, .unclear] {
            let cancelled = order.reduce(.cancelled, from: Order(status: status, item: "tea"), environment: payments)
            #expect(cancelled.state.status == .unclear, "\(status)")
            let paid = order.reduce(.pay, from: cancelled.state, environment: payments)
            #expect(paid.rejection == "The order is unclear.", "\(status)")
        }
    }
}
