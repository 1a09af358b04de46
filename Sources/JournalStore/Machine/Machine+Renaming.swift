// Upcasters for the most common changes.

extension Machine {
    /// Reads actions of `version` whose case had an old name, such as `charged`, as actions whose case has a new name.
    /// States of that version are read as they are, unless an upcaster of theirs is added.
    ///
    /// Several changes of one version are applied in the order in which they are added.
    ///
    /// ```swift
    /// let order = Machine("order", version: 2, initialState: Order(), reducer: reducer)
    ///     .renamingAction("charged", to: "paid", from: 1)
    /// ```
    public func renamingAction(_ old: String, to new: String, from version: Int) -> Machine {
        changed(self) {
            $0.actionUpcasters.add(from: version) { text, _ in try renamed(old, new, text, isProperty: false) }
            $0.stateUpcasters.keep(from: version)
        }
    }

    /// Reads a property of the states of `version` that had an old name as the property with a new name. If that version
    /// had another property of the new name, its value is dropped. Actions of that version are read as they are, unless
    /// an upcaster of theirs is added.
    public func renamingProperty(_ old: String, to new: String, inStatesFrom version: Int) -> Machine {
        changed(self) {
            $0.stateUpcasters.add(from: version) { text, _ in try renamed(old, new, text, isProperty: true) }
            $0.actionUpcasters.keep(from: version)
        }
    }

    /// Reads actions of `version` whose case was removed as another action, whatever values they had. That action passes
    /// through the changes of later versions. States of that version are read as they are, unless an upcaster of theirs
    /// is added.
    public func replacingAction(_ old: String, with action: Action, from version: Int) -> Machine
    where Action: Encodable {
        changed(self) {
            $0.actionUpcasters.add(from: version) { text, codec in
                JSONRenaming.places(of: old, in: text)?.isEmpty == false ? try codec.encode(action) : text
            }
            $0.stateUpcasters.keep(from: version)
        }
    }

    /// Reads actions of one case that `version` stored with other values: a closure makes an action of the new version
    /// from those values. That action passes through the changes of later versions. States of that version are read as
    /// they are, unless an upcaster of theirs is added.
    ///
    /// ```swift
    /// /// The values of `case add(item: String)`.
    /// struct OldAdd: Codable { var item: String }
    ///
    /// let cart = Machine("cart", version: 2, initialState: Cart(), reducer: reducer)
    ///     .replacingAction("add", from: 1) { (old: OldAdd) in .add(item: old.item, count: 1) }
    /// ```
    ///
    /// - Parameters:
    ///   - old: the name of the case.
    ///   - version: the version that stored it.
    ///   - replacement: gets the values of the case: a type with a property for each label, or, if the case had one
    ///     value without a label, the type of that value.
    public func replacingAction<Old: Decodable & SendableMetatype>(
        _ old: String, from version: Int, with replacement: @escaping @Sendable (Old) throws -> Action
    ) -> Machine where Action: Encodable {
        changed(self) {
            $0.actionUpcasters.add(from: version) { text, codec in
                guard JSONRenaming.places(of: old, in: text)?.isEmpty == false else { return text }
                let stored = try codec.decode([String: StoredValues<Old>].self, from: text)
                guard let values = stored[old] else { return text }
                return try codec.encode(try replacement(values.value))
            }
            $0.stateUpcasters.keep(from: version)
        }
    }
}

/// The values of a case as the compiler encodes them: `{"item":"apple"}`, and `{"_0":7}` for one without a label, or
/// `{}` if that one is nil.
private struct StoredValues<Value: Decodable>: Decodable {
    let value: Value

    /// Whether the type itself reads a value without a label: then it cannot be read from one that makes no sense.
    private static var readsUnlabelled: Bool {
        [#"{"_0":[[]]}"#, #"{"_0":true}"#].contains { (try? JSONCodec().decode(Value.self, from: $0)) == nil }
    }

    init(from decoder: any Decoder) throws {
        let unlabelled = StoredName(stringValue: "_0")
        let container = try? decoder.container(keyedBy: StoredName.self)
        let keys = container?.allKeys.map(\.stringValue)
        if let container, keys == [unlabelled.stringValue] {
            do {
                let inner = try container.decode(Value.self, forKey: unlabelled)
                // A value that is nil is not stored, so this can be all that is left of a case with several values:
                // then the type has a property for each.
                let whole = KeyProbe.knowsUnlabelled(Value.self) ? try? Value(from: decoder) : nil
                value = whole ?? inner
            } catch {
                guard Self.readsUnlabelled, let whole = try? Value(from: decoder) else { throw error }
                value = whole
            }
        } else if let container, keys?.isEmpty == true, Value.self is any ExpressibleByNilLiteral.Type,
            let none = try? Value(from: container.superDecoder(forKey: unlabelled))
        {
            value = none
        } else {
            value = try Value(from: decoder)
        }
    }
}

/// Finds out whether a type has a property for a value without a label, by decoding it from an object without members.
private struct KeyProbe: Decoder {
    private final class Answer {
        var hasKey = false
    }

    private struct Question<Value: Decodable>: Decodable {
        let answer = Answer()

        init(from decoder: any Decoder) throws {
            _ = try? Value(from: KeyProbe(base: decoder, answer: answer))
        }
    }

    private let base: any Decoder
    private let answer: Answer
    var codingPath: [any CodingKey] { base.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { base.userInfo }

    static func knowsUnlabelled<Value: Decodable>(_ type: Value.Type) -> Bool {
        (try? JSONCodec().decode(Question<Value>.self, from: "{}"))?.answer.hasKey ?? false
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        // The keys of a dictionary can be any text.
        let isOwn = Key(stringValue: "_0") != nil && Key(stringValue: "_0 of a dictionary") == nil
        if isOwn { answer.hasKey = true }
        return try base.container(keyedBy: type)
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { try base.unkeyedContainer() }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { try base.singleValueContainer() }
}

private func renamed(_ old: String, _ new: String, _ text: String, isProperty: Bool) throws -> String {
    guard let renamed = JSONRenaming.rename(old, to: new, in: text, isProperty: isProperty) else { throw NotJSON() }
    return renamed
}

private struct NotJSON: Error, CustomStringConvertible {
    var description: String { "the text is not JSON; rename with an upcaster of texts" }
}
