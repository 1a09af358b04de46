/// The encoding container of an object.
struct FastKeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let run: FastEncoding
    let place: ContainerPlace

    var codingPath: [any CodingKey] { run.path }

    /// Writes a key. Returns whether its value can be written.
    @inline(__always)
    private func begin(_ key: Key) -> Bool {
        run.state.pointee.beginMember(place, key.stringValue)
    }

    func encodeNil(forKey key: Key) {
        guard begin(key) else { return }
        run.state.pointee.output.append(plain: "null")
    }

    func encode(_ value: Bool, forKey key: Key) {
        guard begin(key) else { return }
        run.state.pointee.output.append(value)
    }

    func encode(_ value: String, forKey key: Key) {
        guard begin(key) else { return }
        run.state.pointee.output.append(quoted: value)
    }

    func encode(_ value: Double, forKey key: Key) throws {
        guard begin(key) else { return }
        try run.encode(number: value)
    }

    func encode(_ value: Float, forKey key: Key) throws {
        guard begin(key) else { return }
        try run.encode(number: value)
    }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        guard begin(key) else { return }
        do { try run.encode(value) } catch {
            run.leftKeys.append(key)
            throw error
        }
    }

    @inline(__always)
    private func encode(whole value: some FixedWidthInteger, _ key: Key) {
        guard begin(key) else { return }
        run.state.pointee.output.append(number: value)
    }

    func encode(_ value: Int, forKey key: Key) { encode(whole: value, key) }
    func encode(_ value: Int8, forKey key: Key) { encode(whole: value, key) }
    func encode(_ value: Int16, forKey key: Key) { encode(whole: value, key) }
    func encode(_ value: Int32, forKey key: Key) { encode(whole: value, key) }
    func encode(_ value: Int64, forKey key: Key) { encode(whole: value, key) }
    func encode(_ value: Int128, forKey key: Key) { encode(whole: value, key) }
    func encode(_ value: UInt, forKey key: Key) { encode(whole: value, key) }
    func encode(_ value: UInt8, forKey key: Key) { encode(whole: value, key) }
    func encode(_ value: UInt16, forKey key: Key) { encode(whole: value, key) }
    func encode(_ value: UInt32, forKey key: Key) { encode(whole: value, key) }
    func encode(_ value: UInt64, forKey key: Key) { encode(whole: value, key) }
    func encode(_ value: UInt128, forKey key: Key) { encode(whole: value, key) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        KeyedEncodingContainer(FastKeyedEncoding<Nested>(run: run, place: open(key, isObject: true)))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        FastUnkeyedEncoding(run: run, place: open(key, isObject: false))
    }

    @inline(__always)
    private func open(_ key: Key, isObject: Bool) -> ContainerPlace {
        guard begin(key) else { return run.state.pointee.lostPlace() }
        return ContainerPlace(depth: place.depth + 1, serial: run.state.pointee.open(isObject: isObject))
    }

    func superEncoder() -> any Encoder { run.encoderThatGivesUp() }
    func superEncoder(forKey key: Key) -> any Encoder { run.encoderThatGivesUp() }
}
