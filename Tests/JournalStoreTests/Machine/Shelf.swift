import JournalStore

/// A list that counts how often its elements are copied. The lists of one name are counted together.
struct Shelf: Codable, Equatable, Sendable {
    /// `@unchecked`: changed only while there is one reference to it.
    private final class Storage: @unchecked Sendable {
        var items: [Int]

        init(_ items: [Int]) { self.items = items }
    }

    private static let counts = Box<[String: Int]>([:])

    let name: String
    private var storage: Storage

    init(_ name: String, _ items: [Int] = []) {
        self.name = name
        storage = Storage(items)
    }

    var items: [Int] { storage.items }

    mutating func add(_ item: Int) {
        if !isKnownUniquelyReferenced(&storage) {
            storage = Storage(storage.items)
            Self.counts.change { [name] in $0[name, default: 0] += 1 }
        }
        storage.items.append(item)
    }

    /// How often the lists of this name were copied since the last call.
    static func takeCopies(_ name: String) -> Int {
        counts.change { $0.removeValue(forKey: name) ?? 0 }
    }

    static func == (left: Shelf, right: Shelf) -> Bool {
        left.name == right.name && left.items == right.items
    }

    private enum CodingKeys: CodingKey { case name, items }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(try values.decode(String.self, forKey: .name), try values.decode([Int].self, forKey: .items))
    }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(name, forKey: .name)
        try values.encode(items, forKey: .items)
    }
}

/// What a reducer of a ``Shelf`` does.
indirect enum ShelfAction: Codable, Hashable, Sendable {
    case add(Int)
    /// Rejected before anything is changed.
    case refuse
    /// Rejected after a change.
    case addAndRefuse(Int)
    /// Adds a number, then reduces these.
    case all(Int, [ShelfAction])

    var rejects: Bool {
        switch self {
        case .refuse, .addAndRefuse: true
        case .add, .all: false
        }
    }
}

func shelfMachine(_ name: String, cascadeLimit: Int = 10_000) -> Machine<ShelfAction, Shelf, Void> {
    var machine = Machine<ShelfAction, Shelf, Void>("shelf", initialState: Shelf(name)) { action, shelf, _ in
        switch action {
        case .add(let item): shelf.add(item)
        case .refuse: return .reject("no")
        case .addAndRefuse(let item):
            shelf.add(item)
            return .reject("no")
        case .all(let item, let actions):
            shelf.add(item)
            return .combine(actions.map { .next($0) })
        }
        return .none
    }
    machine.cascadeLimit = cascadeLimit
    return machine
}
