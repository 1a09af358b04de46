#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One value on its way to JSON. All encoders and containers of the run write into its state.
final class FastEncoding {
    /// Behind a pointer, as the value's code runs while it is in use: one container writes, and another is open.
    let state: UnsafeMutablePointer<EncodingState>

    /// The state, and behind it what it is lent: one piece of memory for all.
    private let memory: UnsafeMutableRawPointer

    private init() {
        let size = MemoryLayout<EncodingState>.stride
        memory = .allocate(byteCount: size + EncodingState.memory, alignment: MemoryLayout<Int>.alignment)
        state = memory.initializeMemory(as: EncodingState.self, to: EncodingState(lending: memory + size))
    }

    deinit {
        state.pointee.free()
        memory.deallocate()
    }

    /// The JSON of a value, or nil where Foundation has to be asked: for the text, or for the error.
    static func text<Value: Encodable>(of value: Value) -> String? {
        let run = FastEncoding()
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

    /// Writes a value where the text is now.
    func encode<Value: Encodable>(_ value: Value) throws {
        guard try !encodeNative(value) else { return }
        let outer = state.pointee.beginLevel()
        do {
            try value.encode(to: FastEncoder(run: self, level: state.pointee.level.serial))
        } catch {
            // Whoever catches it may go on, and then Foundation decides what there is.
            state.pointee.giveUp()
            throw error
        }
        state.pointee.endLevel(outer)
    }

    /// Types whose own code is not asked: Foundation has its own text for some, and for others it is the same.
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
            try encode(number: unsafeBitCast(value, to: Date.self).timeIntervalSinceReferenceDate)
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
            state.pointee.output.append(plain: unsafeBitCast(value, to: Decimal.self).description)
        } else {
            return false
        }
        return true
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

    // MARK: Numbers that may be none

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
        return .invalidValue(number, .init(codingPath: [], debugDescription: "JSON has no such number."))
    }
}
