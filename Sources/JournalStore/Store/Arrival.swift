/// Something that a store is to look at, once it is its turn. An object, so that the inbox need not know its type, which depends on
/// the machine.
protocol Arrival: AnyObject, Sendable {
    /// Whether somebody waits for an answer, also when nothing is done any more.
    var isAnsweredAfterTheEnd: Bool { get }

    /// It is its turn.
    func happen()
}

/// An event on its way to its store.
final class Posted<Action: Sendable, State: Sendable>: Arrival {
    private let core: Core<Action, State>
    private let event: Core<Action, State>.Event

    init(_ event: Core<Action, State>.Event, to core: Core<Action, State>) {
        self.core = core
        self.event = event
    }

    var isAnsweredAfterTheEnd: Bool { event.isAnsweredAfterTheEnd }

    func happen() { core.handle(event) }
}
