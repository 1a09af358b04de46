/// A machine bound to its environment and its codec: everything that a store or a replay needs.
///
/// A class, because accessing the other fields of a struct that contains a generic state is slow.
final class Program<Action: Sendable, State: Sendable>: Sendable {
    let name: String
    let version: Int
    let initialState: State
    let cascadeLimit: Int
    /// Whether a copy of a state shares nothing with the original, so that changing one of them never copies a
    /// collection.
    let copiesStateForNothing = _isPOD(State.self)
    let initialEffect: Reduction<Action>
    let links: [MachineLink<Action, State>]
    /// Called after each new step.
    let middleware: [Middleware<Action, State>]
    let codec: any Codec
    /// IDs, queues and policies are always JSON, whatever codec the machine uses, so that people can query them.
    let records = JSONCodec()
    let ids = JSONCodec(dates: .ofIDs)
    private let checksCoding: Bool
    let reduce: @Sendable (Action, inout State, inout Step) -> Effect<Action>
    /// By the name of a handler: decodes a stored description into the work of a described effect, and returns what the
    /// effect dispatches when it fails.
    let handlers: [String: @Sendable (String) throws -> (work: Effect<Action>.Work, failure: Effect<Action>.Failure?)]
    /// The names that several handlers share.
    let ambiguousHandlers: [String]
    /// Compares two actions; see ``Codec/areEqual(_:_:)``.
    let isSame: @Sendable (Action, Action) -> Bool
    private let encodeAction: @Sendable (Action) throws -> String
    /// Decodes the stored bytes of an action of the given version.
    let decodeStored: @Sendable (UnsafeBufferPointer<UInt8>, Int) throws -> Action
    private let decodeAction: @Sendable (String, Int) throws -> Action
    private let encodeState: @Sendable (State) throws -> String
    private let decodeState: @Sendable (String, Int) throws -> State
    private let upcasters: (actions: Upcasters, states: Upcasters)

    /// - Parameter checksCoding: whether to decode each value right after encoding it, and to compare the two.
    init<Environment>(_ machine: Machine<Action, State, Environment>, environment: Environment, checksCoding: Bool) {
        name = machine.name
        version = machine.version
        initialState = machine.initialState
        cascadeLimit = machine.cascadeLimit
        let initial = machine.initialEffect.bound(to: machine.reducer.handlers, environment)
        initialEffect = Reduction(effects: initial.named(StoredName.CaseName(name: "initial")).parts)
        (links, middleware) = (machine.links, machine.middleware)
        upcasters = (machine.actionUpcasters, machine.stateUpcasters)
        let codec = machine.codec
        (self.codec, self.checksCoding) = (codec, checksCoding)
        reduce = { [reducer = machine.reducer] in reducer.reduce($0, &$1, environment, &$2) }
        let named = Dictionary(grouping: machine.reducer.handlers, by: \.name)
        handlers = named.mapValues { handlers in
            { [handler = handlers[0]] text in
                let value = try handler.read(text, handler.name)
                var description = Description(value)
                description.name = handler.name
                let work = Effect<Action>.Work.described(description, handler.perform(value, environment))
                return (work, handler.failure(value))
            }
        }
        ambiguousHandlers = named.filter { $0.value.count > 1 }.keys.sorted()
        isSame = { left, right in codec.areEqual(left, right) }
        encodeAction = { try codec.encode($0, checked: checksCoding) }
        encodeState = { try codec.encode($0, checked: checksCoding) }
        let decodeAction: @Sendable (String, Int) throws -> Action = {
            [version = machine.version, upcasters = machine.actionUpcasters] in
            try codec.decode(Action.self, from: try upcasters.upcast($0, from: $1, to: version, codec))
        }
        self.decodeAction = decodeAction
        decodeStored = { [version = machine.version, json = codec as? JSONCodec] in
            if let json, $1 == version { return try json.decode(Action.self, from: $0) }
            return try decodeAction(String(decoding: $0, as: UTF8.self), $1)
        }
        decodeState = { [version = machine.version, upcasters = machine.stateUpcasters] in
            try codec.decode(State.self, from: try upcasters.upcast($0, from: $1, to: version, codec))
        }
    }

    // MARK: Storing

    /// - Parameter isAppended: whether the action is a part of a step that is in the journal already.
    func encode(
        _ action: Action, _ place: ErrorLocation, isAppended: Bool = false
    ) throws(JournalError) -> String {
        do { return try encodeAction(action) } catch {
            throw place.notEncodable(.action, StoredName.ofCase(action), error, isAppended: isAppended)
        }
    }

    /// The text of an action as an element of a JSON list: a codec can write other texts than JSON.
    func listed(_ text: String) -> String {
        if codec is JSONCodec || (try? records.decode(JSONTree.self, from: text)) != nil { return text }
        return (try? records.encode(text)) ?? "null"
    }

    func encode(_ state: State, _ place: ErrorLocation) throws(JournalError) -> String {
        do { return try encodeState(state) } catch { throw place.notEncodable(.state, "\(State.self)", error) }
    }

    func encode(
        id: AnyEffectID, as what: CodedValue = .id, _ place: ErrorLocation, isAppended: Bool = false
    ) throws(JournalError) -> String {
        do {
            let text = try ids.encode(id)
            if checksCoding { try id.check(text) }
            return text
        } catch {
            throw place.notEncodable(what, StoredName.of(id.base), error, isAppended: isAppended)
        }
    }

    // MARK: Reading

    func action(_ text: String, version: Int, _ place: ErrorLocation) throws(JournalError) -> Action {
        do { return try decodeAction(text, version) } catch {
            throw notDecodable(text, version: version, place, error)
        }
    }

    /// Whether a text is this action, written by a version from this one on: which of them has written it is not known.
    func isSame(_ text: String, since version: Int, as action: Action, _ place: ErrorLocation) -> Bool {
        upcasters.actions.forms(from: version, to: self.version).contains { version in
            (try? self.action(text, version: version, place)).map { isSame($0, action) } ?? false
        }
    }

    /// An action that a run has left in its record.
    ///
    /// - Parameter kind: when it is sent, as errors name it: `cancel` or `orphan`.
    func action(
        _ text: String, _ kind: String, of run: EffectRun, _ place: ErrorLocation
    ) throws(JournalError) -> Action {
        do throws(JournalError) {
            return try action(text, version: run.version, place.at(run.step))
        } catch {
            throw changed(error) {
                $0.message = "The effect '\(run.name)' (\(run.key)) cannot send its \(kind) action. " + $0.message
            }
        }
    }

    func action(of entry: Entry, _ place: ErrorLocation) throws(JournalError) -> Action {
        try action(entry.action, version: entry.version, place.at(entry.step))
    }

    /// Why an action cannot be decoded.
    func notDecodable(_ text: String, version: Int, _ place: ErrorLocation, _ error: any Error) -> JournalError {
        let isUpcast = upcasters.actions.change(textsOf: version, to: self.version)
        return place.notDecodable(Action.self, text, version, self.version, error, isUpcast: isUpcast)
    }

    func state(_ text: String, version: Int, _ place: ErrorLocation) throws(JournalError) -> State {
        do { return try decodeState(text, version) } catch {
            let isUpcast = upcasters.states.change(textsOf: version, to: self.version)
            throw place.notDecodable(.state, version, self.version, error, isUpcast: isUpcast)
        }
    }

    /// An equal state that shares no memory with this one; nil if it cannot be encoded and decoded.
    func decodedCopy(of state: State, _ place: ErrorLocation) -> State? {
        try? self.state(try encode(state, place), version: version, place)
    }
}

extension Program {
    /// Reduces an entry and its cascade.
    ///
    /// - Parameter undoing: whether to undo what was rejected; see ``Reduction/of(_:_:_:limit:undoing:reduce:)``.
    @inline(__always)
    func reduce(
        _ action: Action, _ state: inout State, at number: Int, _ stamp: Appended.Stamp, in stream: StreamInfo,
        undoing: Bool
    ) -> Reduction<Action> {
        let step = Step(
            stream: stream.name, number: number, time: stamp.time,
            seed: Seed(stream: stream.seed(at: number), entry: stamp.digest))
        return Reduction.of(action, &state, step, limit: cascadeLimit, undoing: undoing, reduce: reduce)
    }
}
