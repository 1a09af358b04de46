/// A value in memory of its own, for a place that is mostly empty and has to be small.
final class Boxed<Value: Sendable>: Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}
