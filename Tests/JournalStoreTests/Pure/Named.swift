import Testing

/// A value that a table of cases shows by its name.
struct Named<Value: Sendable>: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var value: Value

    init(_ name: String, _ value: Value) {
        testDescription = name
        self.value = value
    }
}
