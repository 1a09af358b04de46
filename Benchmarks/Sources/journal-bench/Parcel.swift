import JournalStore

/// A machine of enums: as a table, in the When/On language, and as a plain reducer that does the same.
enum Parcel: Codable, Sendable, Equatable {
    case packed, labelled, sent, underway, sorted, delivered, refused, returned
}

enum ParcelEvent: Codable, Sendable, Equatable {
    case label, send, depart, sort(hub: Int), deliver, refuse, sendBack, pack

    /// Eight events that lead once around the states; some are refused on the way.
    static let round: [ParcelEvent] = [.label, .send, .depart, .sort(hub: 3), .refuse, .deliver, .sendBack, .pack]
}

extension Parcel {
    private static let isOnTheRoad: @Sendable (Parcel) -> Bool = { [.sent, .underway, .sorted].contains($0) }

    private static let table: TransitionTable<ParcelEvent, Parcel, Void> = [
        .label | .packed => .labelled,
        .label | .returned => .labelled,
        .send | .labelled => .sent,
        .depart | .sent => .underway,
        .depart | .sorted => .underway,
        .case(ParcelEvent.sort) | .underway => .sorted,
        .deliver | .underway => .delivered,
        .deliver | .sorted => .delivered,
        .refuse | isOnTheRoad => .refused,
        .sendBack | .refused => .returned,
        .sendBack | .delivered => .returned,
        .pack | .returned => .packed,
        .pack | .labelled => .packed,
    ]

    static let asTable = Machine("parcel", initialState: Parcel.packed, table: table)

    private static let stateMachine = StateMachine<Parcel, ParcelEvent, Int>(initial: .packed) {
        When(state: .packed) {
            Execute.noOutput
        } transitions: {
            On(event: .label) { Move(to: .labelled) }
        }
        When(state: .labelled) {
            Execute.noOutput
        } transitions: {
            On(event: .send) { Move(to: .sent) }
            On(event: .pack) { Move(to: .packed) }
        }
        When(state: .underway) {
            Execute.noOutput
        } transitions: {
            On(event: ParcelEvent.sort) { _ in Move(to: .sorted) }
        }
        When(
            states: OneOf {
                Parcel.sent
                Parcel.sorted
            }
        ) { _ in
            Execute.noOutput
        } transitions: {
            On(event: .depart) { Move(to: .underway) }
        }
        When(
            states: OneOf {
                Parcel.underway
                Parcel.sorted
            }
        ) { _ in
            Execute.noOutput
        } transitions: {
            On(event: .deliver) { Move(to: .delivered) }
        }
        When(states: OneOf(where: isOnTheRoad)) { _ in
            Execute.noOutput
        } transitions: {
            On(event: .refuse) { Move(to: .refused) }
        }
        When(
            states: OneOf {
                Parcel.refused
                Parcel.delivered
            }
        ) { _ in
            Execute.noOutput
        } transitions: {
            On(event: .sendBack) { Move(to: .returned) }
        }
        When(state: .returned) {
            Execute.noOutput
        } transitions: {
            On(event: .label) { Move(to: .labelled) }
            On(event: .pack) { Move(to: .packed) }
        }
    }

    static let asStateMachine = Machine("parcel", stateMachine)

    static let asReducer = Machine<ParcelEvent, Parcel, Void>("parcel", initialState: .packed) { event, parcel, _ in
        switch (event, parcel) {
        case (.label, .packed), (.label, .returned): parcel = .labelled
        case (.send, .labelled): parcel = .sent
        case (.depart, .sent), (.depart, .sorted): parcel = .underway
        case (.sort, .underway): parcel = .sorted
        case (.deliver, .underway), (.deliver, .sorted): parcel = .delivered
        case (.refuse, .sent), (.refuse, .underway), (.refuse, .sorted): parcel = .refused
        case (.sendBack, .refused), (.sendBack, .delivered): parcel = .returned
        case (.pack, .returned), (.pack, .labelled): parcel = .packed
        default: return .reject("No transition.")
        }
        return .none
    }
}

/// A store of parcels.
struct ParcelStore: Sendable {
    let journal: Journal
    let store: Store<ParcelEvent, Parcel>

    @concurrent
    init(_ path: String, _ machine: Machine<ParcelEvent, Parcel, Void>) async throws {
        var options = Journal.Options()
        options.durability = .normal
        journal = try Journal(path: path, options: options)
        store = try await journal.open(machine, stream: Library.streamName)
        try await store.dispatch(contentsOf: Array(repeating: ParcelEvent.round, count: 125).joined())
    }

    @concurrent
    func dispatch(rounds: Int) async throws {
        for _ in 0..<rounds {
            for event in ParcelEvent.round { try await store.dispatch(event) }
        }
    }

    @concurrent
    func close(expecting steps: Int) async throws {
        try await store.close()
        let found = try journal.reader.stream(Library.streamName).headStep
        guard found == steps, store.state == .packed else {
            throw BenchError(message: "The parcel is \(store.state) after \(found) steps, of \(steps).")
        }
        try await journal.close()
    }
}

extension Bench {
    /// Dispatches events to a machine of parcels: for a profiler.
    func dispatchParcels(_ machine: Machine<ParcelEvent, Parcel, Void>, _ count: Int) async throws {
        try await folder.withFreshFolder { folder in
            let store = try await ParcelStore(folder + "/parcels.db", machine)
            let rounds = count / ParcelEvent.round.count
            try await store.dispatch(rounds: rounds)
            try await store.close(expecting: 1_000 + rounds * ParcelEvent.round.count)
        }
    }
}
