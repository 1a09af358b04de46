/// What a path means.
enum Route: Equatable {
    /// `/orders/17`
    case order(stream: String)
    /// `/orders/17/history`
    case history(stream: String)
    /// `/orders/17/place`
    case place(stream: String)
    /// `/orders/17/pay`
    case pay(stream: String)

    init?(_ path: String) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        guard (2...3).contains(parts.count), parts[1] == "orders", parts[2].isNumber else { return nil }
        let stream = "order-\(parts[2])"
        switch parts.count == 3 ? parts[3] : nil {
        case nil: self = .order(stream: stream)
        case "history": self = .history(stream: stream)
        case "place": self = .place(stream: stream)
        case "pay": self = .pay(stream: stream)
        default: return nil
        }
    }

    /// The method that the route takes.
    var method: String {
        switch self {
        case .order, .history: "GET"
        case .place, .pay: "POST"
        }
    }
}

extension Substring {
    /// Whether it is the number of an order. An order has one number, so one that begins with 0 is none.
    fileprivate var isNumber: Bool {
        (1...18).contains(utf8.count) && utf8.allSatisfy { (48...57).contains($0) } && first != "0"
    }
}
