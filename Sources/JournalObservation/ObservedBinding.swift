/// A value that is read from a mirror and is changed by sending an action to its store; see
/// ``ObservedStore/binding(get:send:)``.
@MainActor public struct ObservedBinding<Value> {
    let get: () -> Value
    let set: (Value) -> Void

    /// The value. Setting it sends the action.
    public var wrappedValue: Value {
        get { get() }
        nonmutating set { set(newValue) }
    }
}
