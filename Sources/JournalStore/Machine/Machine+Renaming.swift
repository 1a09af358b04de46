// Upcasters for the most common changes.

extension Machine {
    /// Reads actions that `version` stored under an old name, such as the case `charged`, under a new one.
    ///
    /// Several changes of one version are applied in the order in which they are added.
    ///
    /// ```swift
    /// let order = Machine("order", version: 2, initialState: Order(), reducer: reducer)
    ///     .renamingAction("charged", to: "paid", from: 1)
    /// ```
    public func renamingAction(_ old: String, to new: String, from version: Int) -> Machine {
        changed(self) {
            $0.actionUpcasters.add(from: version) { text, _ in try renamed(old, new, text) }
            $0.stateUpcasters.keep(from: version)
        }
    }

    /// Reads a stored property of the state, which `version` stored under an old name, under a new one.
    public func renamingProperty(_ old: String, to new: String, inStatesFrom version: Int) -> Machine {
        changed(self) {
            $0.stateUpcasters.add(from: version) { text, _ in try renamed(old, new, text) }
            $0.actionUpcasters.keep(from: version)
        }
    }

    /// Reads actions of a removed name, which `version` stored, as another action, whatever values they had.
    public func replacingAction(_ old: String, with action: Action, from version: Int) -> Machine
    where Action: Encodable {
        changed(self) {
            $0.actionUpcasters.add(from: version) { text, codec in
                JSONRenaming.places(of: old, in: text)?.isEmpty == false ? try codec.encode(action) : text
            }
            $0.stateUpcasters.keep(from: version)
        }
    }
}

private func renamed(_ old: String, _ new: String, _ text: String) throws -> String {
    guard let renamed = JSONRenaming.rename(old, to: new, in: text) else { throw NotJSON() }
    return renamed
}

private struct NotJSON: Error, CustomStringConvertible {
    var description: String { "the text is not JSON; rename with an upcaster of texts" }
}
