/// A value in memory of its own, for a place that is mostly empty and has to be small.
final class Boxed<Value: Sendable>: Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}

extension Boxed: Equatable where Value: Equatable {
    static func == (left: Boxed, right: Boxed) -> Bool { left === right || left.value == right.value }
}

extension Boxed: Hashable where Value: Hashable {
    func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
}
