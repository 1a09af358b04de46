/// The encoding container of an array.
struct FastUnkeyedEncoding: UnkeyedEncodingContainer {
    let run: FastEncoding
    let place: ContainerPlace

    var codingPath: [any CodingKey] { run.path }
    var count: Int { run.elements(place) }

    @inline(__always)
    private func begin() -> Bool {
        if run.state.pointee.beginElement(place) { return true }
        run.countLost(place)
        return false
    }

    func encodeNil() {
        guard begin() else { return }
        run.state.pointee.output.append(plain: "null")
    }

    func encode(_ value: Bool) {
        guard begin() else { return }
        run.state.pointee.output.append(value)
    }

    func encode(_ value: String) {
        guard begin() else { return }
        run.state.pointee.output.append(quoted: value)
    }

    func encode(_ value: Double) throws {
        guard begin() else { return }
        try run.encode(number: value)
    }

    func encode(_ value: Float) throws {
        guard begin() else { return }
        try run.encode(number: value)
    }

    func encode<Value: Encodable>(_ value: Value) throws {
        guard begin() else { return }
        do { try run.encode(value) } catch {
            run.leftKeys.append(PathKey(index: count - 1))
            throw error
        }
    }

    @inline(__always)
    private func encode(whole value: some FixedWidthInteger) {
        guard begin() else { return }
        run.state.pointee.output.append(number: value)
    }

    func encode(_ value: Int) { encode(whole: value) }
    func encode(_ value: Int8) { encode(whole: value) }
    func encode(_ value: Int16) { encode(whole: value) }
    func encode(_ value: Int32) { encode(whole: value) }
    func encode(_ value: Int64) { encode(whole: value) }
    func encode(_ value: Int128) { encode(whole: value) }
    func encode(_ value: UInt) { encode(whole: value) }
    func encode(_ value: UInt8) { encode(whole: value) }
    func encode(_ value: UInt16) { encode(whole: value) }
    func encode(_ value: UInt32) { encode(whole: value) }
    func encode(_ value: UInt64) { encode(whole: value) }
    func encode(_ value: UInt128) { encode(whole: value) }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        KeyedEncodingContainer(FastKeyedEncoding<Nested>(run: run, place: open(isObject: true)))
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        FastUnkeyedEncoding(run: run, place: open(isObject: false))
    }

    @inline(__always)
    private func open(isObject: Bool) -> ContainerPlace {
        guard begin() else { return run.state.pointee.lostPlace() }
        return ContainerPlace(depth: place.depth + 1, serial: run.state.pointee.open(isObject: isObject))
    }

    func superEncoder() -> any Encoder {
        run.countLost(place)
        return run.encoderThatGivesUp()
    }
}
