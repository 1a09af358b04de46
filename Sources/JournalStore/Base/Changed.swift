/// A changed copy of a value.
func changed<Value, Failure: Error>(
    _ value: Value, _ change: (inout Value) throws(Failure) -> Void
) throws(Failure) -> Value {
    var copy = value
    try change(&copy)
    return copy
}
