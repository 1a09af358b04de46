import Testing

/// A test argument that is shown by its name.
struct Named<Value: Sendable>: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var value: Value

    init(_ name: String, _ value: Value) {
        testDescription = name
        self.value = value
    }
}
