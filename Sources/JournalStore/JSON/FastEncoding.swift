#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One encoding of a value to JSON. All its encoders and containers write into its state.
final class FastEncoding {
    /// Behind a pointer, because the value's code runs while it is in use: one container writes while another is open.
    let state: UnsafeMutablePointer<EncodingState>

    /// The state, followed by the memory it borrows: a single allocation.
    private let memory: UnsafeMutableRawPointer

    private var dates: JSONCodec.DateForm

    /// After giving up: the number of elements of arrays that are not written any more, by their serials.
    var lostCounts: [Int: Int] = [:]

    /// After an error: the keys of the containers' values that it has left, from the inside out.
    var leftKeys: [any CodingKey] = []

    private init(_ dates: JSONCodec.DateForm) {
        self.dates = dates
        let size = MemoryLayout<EncodingState>.stride
        memory = .allocate(byteCount: size + EncodingState.memory, alignment: MemoryLayout<Int>.alignment)
        state = memory.initializeMemory(as: EncodingState.self, to: EncodingState(lending: memory + size))
    }

    deinit {
        state.pointee.free()
        memory.deallocate()
    }

    /// The JSON of a value; nil if Foundation must encode it, for the text or for the error.
    static func text<Value: Encodable>(of value: Value, _ dates: JSONCodec.DateForm) -> String? {
        let run = FastEncoding(dates)
        let state = run.state
        do {
            guard try !run.encodeNative(value) else {
                return state.pointee.hasGivenUp ? nil : state.pointee.output.text
            }
            let outer = state.pointee.beginLevel()
            try value.encode(to: FastEncoder(run: run, level: state.pointee.level.serial))
            if state.pointee.level.progress == .nothing { state.pointee.giveUp() }
            state.pointee.endLevel(outer)
        } catch {
            return nil
        }
        return state.pointee.hasGivenUp ? nil : state.pointee.output.text
    }

    /// The path to the `Decimal` in a value that is NaN and ends its encoding; empty if it is not known.
    static func pathToNaN<Value: Encodable>(in value: Value, _ dates: JSONCodec.DateForm) -> [any CodingKey] {
        let run = FastEncoding(dates)
        do {
            try run.encode(value)
        } catch EncodingError.invalidValue(let number as Decimal, _) where number.isNaN {
            return run.leftKeys.reversed()
        } catch {}
        return []
    }

    /// Encodes a value at the end of the text.
    func encode<Value: Encodable>(_ value: Value) throws {
        guard try !encodeNative(value) else { return }
        let outer = state.pointee.beginLevel()
        do {
            try value.encode(to: FastEncoder(run: self, level: state.pointee.level.serial))
        } catch {
            // The value's code may catch the error and go on; then Foundation decides the result.
            state.pointee.giveUp()
            throw error
        }
        state.pointee.endLevel(outer)
    }

    /// Encodes types without their own code: Foundation has its own format for some, and the rest give the same text.
    @inline(__always)
    private func encodeNative<Value>(_ value: Value) throws -> Bool {
        if Value.self == Int.self {
            state.pointee.output.append(number: unsafeBitCast(value, to: Int.self))
        } else if Value.self == String.self {
            state.pointee.output.append(quoted: unsafeBitCast(value, to: String.self))
        } else if Value.self == Double.self {
            try encode(number: unsafeBitCast(value, to: Double.self))
        } else if Value.self == Bool.self {
            state.pointee.output.append(unsafeBitCast(value, to: Bool.self))
        } else if Value.self == Date.self {
            try encode(date: unsafeBitCast(value, to: Date.self).timeIntervalSinceReferenceDate)
        } else if Value.self == [Int].self {
            append(unsafeBitCast(value, to: [Int].self)) { $0.append(number: $1) }
        } else if Value.self == [String].self {
            append(unsafeBitCast(value, to: [String].self)) { $0.append(quoted: $1) }
        } else {
            return try encodeRare(value)
        }
        return true
    }

    private func encodeRare<Value>(_ value: Value) throws -> Bool {
        if Value.self == Data.self {
            append(quotedPlain: unsafeBitCast(value, to: Data.self).base64EncodedString())
        } else if Value.self == URL.self {
            state.pointee.output.append(quoted: unsafeBitCast(value, to: URL.self).absoluteString)
        } else if Value.self == Decimal.self {
            let number = unsafeBitCast(value, to: Decimal.self)
            guard !number.isNaN else { throw refusal(of: number) }
            state.pointee.output.append(plain: number.description)
        } else if UnorderedType.includes(Value.self), let list = value as? any UnorderedValue, list.isList {
            try encode(list)
        } else {
            return false
        }
        return true
    }

    private func encode(_ list: any UnorderedValue) throws {
        var starts: [Int] = []
        state.pointee.beginSortedList()
        try list.encodeMembers(by: self) {
            if !starts.isEmpty { state.pointee.output.append(UInt8(ascii: ",")) }
            starts.append(state.pointee.output.count)
        }
        state.pointee.endSortedList(starts)
    }

    private func append(quotedPlain text: String) {
        state.pointee.output.append(UInt8(ascii: "\""))
        state.pointee.output.append(plain: text)
        state.pointee.output.append(UInt8(ascii: "\""))
    }

    @inline(__always)
    private func append<Element>(_ list: [Element], _ write: (inout JSONOutput, Element) -> Void) {
        state.pointee.output.append(UInt8(ascii: "["))
        var isFirst = true
        for element in list {
            if isFirst { isFirst = false } else { state.pointee.output.append(UInt8(ascii: ",")) }
            write(&state.pointee.output, element)
        }
        state.pointee.output.append(UInt8(ascii: "]"))
    }

    /// Encodes a part of the value with dates in another form.
    func with(dates form: JSONCodec.DateForm, _ body: () throws -> Void) rethrows {
        let outer = dates
        dates = form
        defer { dates = outer }
        try body()
    }

    private func encode(date: Double) throws {
        guard dates == .iso8601, let text = ISODate.text(date) else { return try encode(number: date) }
        append(quotedPlain: text)
    }

    // MARK: Floating-point numbers

    @inline(__always)
    func encode(number: Double) throws {
        guard number.isFinite else { throw refusal(of: number) }
        state.pointee.output.append(number: number)
    }

    @inline(__always)
    func encode(number: Float) throws {
        guard number.isFinite else { throw refusal(of: number) }
        state.pointee.output.append(number: number)
    }

    private func refusal(of number: any Encodable) -> EncodingError {
        state.pointee.giveUp()
        return .invalidValue(number, .init(codingPath: [], debugDescription: "JSON cannot represent this number."))
    }
}
