import JournalStore

/// The machine of the journals that show what a page shows.
enum OrderAction: Codable, Sendable, Equatable {
    case create(customer: String)
    case add(item: String, price: Int)
    case pay(card: String)
    case paid(receipt: String)
    case declined(reason: String)
    case ship(to: String)
    case shipped(parcel: String)
    case remind
    case count(Int)
}

struct Order: Codable, Sendable, Equatable {
    enum Status: String, Codable, Sendable { case new, open, paying, paid, held, shipping, done }
    struct Item: Codable, Sendable, Equatable {
        var name: String
        var price: Int
    }

    var status = Status.new
    var customer: String?
    var items: [Item] = []
    var total = 0
    var receipt: String?
    var parcel: String?
    var problems: [String] = []
    var counter = 0
}

let order = Machine("shop-order", initialState: Order(), reduce: orders)

@Sendable func orders(_ action: OrderAction, _ state: inout Order, _: Void, _: inout Step) -> Effect<OrderAction> {
    switch action {
    case .create(let customer): (state.status, state.customer) = (.open, customer)
    case .add(let name, let price):
        state.items.append(.init(name: name, price: price))
        state.total += price
    case .pay: state.status = .paying
    case .paid(let receipt): (state.status, state.receipt) = (.paid, receipt)
    case .declined(let reason):
        state.status = .held
        state.problems.append(reason)
    case .ship:
        guard state.status == .paid else { return .reject("the order is not paid") }
        state.status = .shipping
    case .shipped(let parcel): (state.status, state.parcel) = (.done, parcel)
    case .remind: break
    case .count(let number): state.counter += number
    }
    return .none
}
