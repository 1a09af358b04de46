/// The encoder of one `encode(to:)`, invalid after that returns.
struct FastEncoder: Encoder {
    let run: FastEncoding
    let level: Int

    /// Foundation's path contains the value's own keys, so reading it leaves the text to Foundation.
    var codingPath: [any CodingKey] { run.path }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(FastKeyedEncoding<Key>(run: run, place: place(.object)))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        FastUnkeyedEncoding(run: run, place: place(.array))
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    @inline(__always)
    private func place(_ kind: EncodingState.Progress) -> ContainerPlace {
        guard let serial = run.state.pointee.container(kind, level: level) else {
            return run.state.pointee.lostPlace(level: level)
        }
        return ContainerPlace(depth: run.state.pointee.level.base, serial: serial)
    }
}

extension FastEncoder: SingleValueEncodingContainer {
    func encodeNil() {
        guard run.state.pointee.claim(level) else { return }
        run.state.pointee.output.append(plain: "null")
    }

    func encode(_ value: Bool) {
        guard run.state.pointee.claim(level) else { return }
        run.state.pointee.output.append(value)
    }

    func encode(_ value: String) {
        guard run.state.pointee.claim(level) else { return }
        run.state.pointee.output.append(quoted: value)
    }

    func encode(_ value: Double) throws {
        guard run.state.pointee.claim(level) else { return }
        try run.encode(number: value)
    }

    func encode(_ value: Float) throws {
        guard run.state.pointee.claim(level) else { return }
        try run.encode(number: value)
    }

    func encode<Value: Encodable>(_ value: Value) throws {
        guard run.state.pointee.claim(level) else { return }
        try run.encode(value)
    }

    @inline(__always)
    private func encode(whole value: some FixedWidthInteger) {
        guard run.state.pointee.claim(level) else { return }
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
}
