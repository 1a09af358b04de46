#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Any JSON value, kept to be encoded again or to be decoded later, when its type is known.
enum JSONTree: Hashable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case unsigned(UInt64)
    case wide(Int128)
    case unsignedWide(UInt128)
    case number(Double)
    /// A number with more digits than a `Double` has.
    case decimal(Decimal)
    case text(String)
    case list([JSONTree])
    case object([String: JSONTree])
}

extension JSONTree: Codable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self), Self.isExact({ Decimal(value) }, decoder) {
            self = .integer(value)
        } else if let value = try? container.decode(UInt64.self), Self.isExact({ Decimal(value) }, decoder) {
            self = .unsigned(value)
        } else if let value = try? container.decode(Double.self) {
            self = Self.exact(value, container) ?? .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .text(value)
        } else if let value = try? container.decode([JSONTree].self) {
            self = .list(value)
        } else {
            self = .object(try container.decode([String: JSONTree].self))
        }
    }

    /// Whether an integer is the number that is written: a fraction with many digits is rounded without an error.
    private static func isExact(_ integer: () -> Decimal, _ decoder: any Decoder) -> Bool {
        if (decoder as? FastDecoder)?.isWhole == true { return true }
        // Other decoders than those of JSON read no decimal from a number, and have no such fractions.
        return (try? decoder.singleValueContainer().decode(Decimal.self)).map { $0 == integer() } ?? true
    }

    /// A number with the digits that its nearest `Double` does not have; nil if that has all.
    private static func exact(_ nearest: Double, _ container: any SingleValueDecodingContainer) -> JSONTree? {
        if (0x1p63...0x1p128).contains(nearest.magnitude) {
            if let value = try? container.decode(Int128.self) { return .wide(value) }
            if let value = try? container.decode(UInt128.self) { return .unsignedWide(value) }
        }
        // A Decimal has more digits, but not the range: it could be another number.
        guard let value = try? container.decode(Decimal.self), Double("\(value)") == nearest,
            value != Decimal(string: "\(nearest)")
        else { return nil }
        return .decimal(value)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .unsigned(let value): try container.encode(value)
        case .wide(let value): try container.encode(value)
        case .unsignedWide(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .decimal(let value): try container.encode(value)
        case .text(let value): try container.encode(value)
        case .list(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}
