/// A described effect as stored: the name of its type and its value.
struct Description: Sendable {
    /// The scopes, then the type.
    var name: String
    let value: any Codable & Sendable

    init(_ value: any Codable & Sendable) {
        name = StoredName.of(type(of: value))
        self.value = value
    }

    /// The same description inside a scope, named as the scoped handler is.
    func scoped(_ scope: String) -> Description {
        changed(self) { $0.name = "\(scope).\(name)" }
    }

    var mappedTooEarly: EffectFailure {
        EffectFailure(
            description: """
                `map(action:)` was used on the described effect \(name) before a handler was found for it. Let the \
                handler return the mapped action, or lift the reducer with `contramap`.
                """)
    }

    var noHandler: EffectFailure {
        let type = StoredName.of(type(of: value))
        // What stands before the type, without the dot between them.
        let scopes = name.dropLast(type.count).dropLast()
        let addition = "Add `.handling(\(type).self) { … }` to the reducer"
        let text =
            scopes.isEmpty
            ? "There is no handler for \(type). \(addition)."
            : "There is no handler for \(type) in the scope '\(scopes)'. \(addition) that returns it, before "
                + "`contramap` gives it the scope."
        return EffectFailure(description: text)
    }
}

extension Description: Encodable {
    /// `{"Shop.Job":{"charge":{"_0":7}}}`
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: StoredName.self)
        try container.encode(value, forKey: StoredName(stringValue: name))
    }

    /// The name under which a stored description is encoded.
    static func name(in text: String) -> String? {
        // The encoder above wrote the text, so its first key is the name.
        try? JSONCodec().decode(Named.self, from: text).name
    }

    private struct Named: Decodable {
        var name: String?

        init(from decoder: any Decoder) throws {
            name = try decoder.container(keyedBy: StoredName.self).allKeys.first?.stringValue
        }
    }
}

/// A stored description whose value has a known type. The coding path of an error begins with the name of the type.
private struct StoredDescription<Value: Decodable>: Decodable {
    let name: String
    let value: Value

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: StoredName.self)
        guard let key = container.allKeys.first else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "The description is empty."))
        }
        name = key.stringValue
        value = try container.decode(Value.self, forKey: key)
    }
}

/// Performs the described effects of one type.
struct Handler<Action: Sendable, Environment>: Sendable {
    /// The scopes, then the type.
    var name: String
    let read: @Sendable (String, _ name: String) throws -> any Codable & Sendable
    let perform: @Sendable (any Codable & Sendable, Environment) -> Effect<Action>.Body?
    /// What the effect of a value dispatches when it has finally failed, unless the effect has its own `onFailure`.
    let failure: @Sendable (any Codable & Sendable) -> Effect<Action>.Failure?

    /// The same handler for a wider action.
    func lifted<Whole: Sendable>(
        _ embed: @escaping @Sendable (Action) -> Whole, scope: String?
    ) -> Handler<Whole, Environment> {
        Handler<Whole, Environment>(
            name: scope.map { "\($0).\(name)" } ?? name, read: read,
            perform: { value, environment in perform(value, environment).map { Effect.map($0, embed) } },
            failure: { value in failure(value)?.map(embed) })
    }

    /// The same handler for a wider environment.
    func lifted<Whole>(_ part: @escaping @Sendable (Whole) -> Environment) -> Handler<Action, Whole> {
        Handler<Action, Whole>(
            name: name, read: read, perform: { value, environment in perform(value, part(environment)) },
            failure: failure)
    }
}

extension Effect {
    /// The same effect, with a body for each described effect that one of these handlers performs.
    func bound<Environment>(to handlers: [Handler<Action, Environment>], _ environment: Environment) -> Effect {
        var (parts, isBound) = (parts, false)
        for index in parts.indices {
            guard case .run(var run) = parts[index], case .described(let description, nil) = run.work,
                let handler = handlers.first(where: { $0.name == description.name })
            else { continue }
            let body = handler.perform(description.value, environment)
            // A function that makes the failure's action cannot be recorded.
            if case .closure = run.failure, let body {
                run.work = .closure(body)
            } else {
                run.work = .described(description, body)
                // It is not recorded: after a restart the handler is asked again.
                if run.failure == nil { run.failure = handler.failure(description.value) }
            }
            parts[index] = .run(run)
            isBound = true
        }
        return isBound ? Effect(parts: parts) : self
    }
}

extension Reducer {
    /// Adds a handler that performs the described effects of a type, in this process and after a restart. The reducer
    /// returns them with ``Effect/perform(_:name:id:queue:priority:delay:restart:retry:)``.
    ///
    /// `contramap` lifts the handlers along with their reducer. If a reducer is used twice, pass a scope there, so that
    /// each use has its own handlers: a machine with two handlers of one type cannot be opened.
    ///
    /// ```swift
    /// let shop = Reducer<Action, State, Shop> { … return .perform(Job.charge(order)) … }
    ///     .handling(Job.self) { job, shop, context in
    ///         switch job {
    ///         case .charge(let order): .paid(try await shop.charge(order, key: context.idempotencyKey))
    ///         }
    ///     }
    /// ```
    ///
    /// - Parameters:
    ///   - type: the type of the values.
    ///   - perform: the work. The action it returns is dispatched.
    public func handling<Work: Codable & Sendable & SendableMetatype>(
        _ type: Work.Type,
        _ perform: @escaping @concurrent @Sendable (Work, Environment, EffectContext) async throws -> Action?
    ) -> Reducer where Environment: Sendable {
        handling(type) { work, environment, _, context in try await perform(work, environment, context) }
    }

    /// Adds a handler that can send any number of actions while it performs the described effects of a type.
    public func handling<Work: Codable & Sendable & SendableMetatype>(
        _ type: Work.Type,
        _ perform:
            @escaping @concurrent @Sendable (Work, Environment, Effect<Action>.Send, EffectContext) async throws
            -> Action?
    ) -> Reducer where Environment: Sendable {
        handling(type, failure: { _ in nil }, perform)
    }

    /// - Parameter failure: returns what the effect of a value dispatches when it has finally failed, unless the effect
    ///   has an `onFailure` of its own. It is not recorded, and called again after a restart.
    func handling<Work: Codable & Sendable & SendableMetatype>(
        _ type: Work.Type, failure: @escaping @Sendable (Work) -> Effect<Action>.Failure?,
        _ perform:
            @escaping @concurrent @Sendable (Work, Environment, Effect<Action>.Send, EffectContext) async throws
            -> Action?
    ) -> Reducer where Environment: Sendable {
        let handler = Handler<Action, Environment>(
            name: StoredName.of(type),
            read: { text, name in
                let stored = try JSONCodec().decode(StoredDescription<Work>.self, from: text)
                guard stored.name == name else {
                    throw EffectFailure(description: "The described effect is not a \(name).")
                }
                return stored.value
            },
            perform: { value, environment in
                guard let work = value as? Work else { return nil }
                return { send, context in try await perform(work, environment, send, context) }
            },
            failure: { value in (value as? Work).flatMap(failure) })
        return Reducer(handlers: handlers + [handler]) { action, state, environment, step in
            reduce(action, &state, environment, &step)
        }
    }
}
