#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// Types that Foundation's decoder decodes in a format of its own.
extension JSONDocument {
    func date(_ token: Int) throws -> Date {
        try refuseNull(token, Date.self)
        guard kind(token) == .text else { return Date(timeIntervalSinceReferenceDate: try double(token)) }
        guard let seconds = ISODate.seconds(try text(token)) else { throw corrupted(token, "The text is not a date.") }
        return Date(timeIntervalSinceReferenceDate: seconds)
    }

    func data(_ token: Int) throws -> Data {
        try refuseNull(token, Data.self)
        guard let data = Data(base64Encoded: try text(token)) else { throw corrupted(token, "The text is not base64.") }
        return data
    }

    func url(_ token: Int) throws -> URL {
        try refuseNull(token, URL.self)
        guard let url = URL(string: try text(token)) else { throw corrupted(token, "The text is not a URL.") }
        return url
    }

    func decimal(_ token: Int) throws -> Decimal {
        try refuseNull(token, Decimal.self)
        guard isNumber(token) else { throw mismatch(token, Decimal.self) }
        return try decodeByFoundation(Decimal.self, token)
    }

    /// Decodes a number by Foundation's own rules.
    func decodeByFoundation<Value: Decodable>(_ type: Value.Type, _ token: Int) throws -> Value {
        // Foundation's conversion reads the byte after a number, so append one that ends it.
        var text = Data(bytes(token))
        text.append(UInt8(ascii: " "))
        do {
            return try JSONDecoder().decode(type, from: text)
        } catch {
            throw UnreadableNumber()
        }
    }
}
