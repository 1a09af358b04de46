import Testing

@testable import service

@Suite struct `The routes` {
    @Test func `a path has one order, and an order one path`() {
        #expect(Route("/orders/17") == .order(stream: "order-17"))
        #expect(Route("/orders/17/history") == .history(stream: "order-17"))
        #expect(Route("/orders/17/place") == .place(stream: "order-17"))
        #expect(Route("/orders/17/pay") == .pay(stream: "order-17"))
        for path in [
            "/", "/orders", "/orders/", "/orders/x", "/orders/017", "/orders/0", "/orders/-1", "/orders/1/",
            "/orders/1/paid", "/orders/1/pay/", "//orders/1", "/orders/%31", "/orders/1234567890123456789",
            "/order/1", "orders/1",
        ] {
            #expect(Route(path) == nil, "\(path)")
        }
    }
}
