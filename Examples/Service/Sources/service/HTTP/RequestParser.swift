/// Reads one request, in whatever pieces its bytes come. Pure: bytes in, a request or a refusal out.
///
/// Of the ways to write a request (https://www.rfc-editor.org/rfc/rfc9112) it takes the one that all clients use: lines
/// that end with CR LF, a path, and a body with a `Content-Length`. What could be read in two ways is refused.
struct RequestParser {
    private enum Part {
        /// The first line has not ended.
        case requestLine
        /// The empty line that ends the headers has not come.
        case headers(Request, isOld: Bool)
        /// So many bytes of the body are missing.
        case body(Request, missing: Int)
    }

    private let limits: Limits
    private var part = Part.requestLine
    /// The bytes of the line that has not ended.
    private var line: [UInt8] = []
    private var headerBytes = 0

    init(_ limits: Limits) {
        self.limits = limits
    }

    /// Whether no byte has come.
    var isEmpty: Bool { if case .requestLine = part { line.isEmpty } else { false } }

    /// Takes bytes.
    ///
    /// - Returns: the request, when it is complete. What comes after it is left out, because it is the last of its
    ///   connection.
    mutating func add(_ bytes: some Sequence<UInt8>) throws(Refusal) -> Request? {
        for byte in bytes {
            if case .body(var request, let missing) = part {
                // Without a second owner the body is not copied.
                part = .requestLine
                request.body.append(byte)
                if missing == 1 { return request }
                part = .body(request, missing: missing - 1)
            } else if let request = try addToLine(byte) {
                return request
            }
        }
        return nil
    }

    private mutating func addToLine(_ byte: UInt8) throws(Refusal) -> Request? {
        if case .requestLine = part {
            if line.count >= limits.requestLine { throw Refusal(.uriTooLong, "The request line is too long.") }
        } else {
            headerBytes += 1
            if headerBytes > limits.headers { throw Refusal(.headersTooLarge, "The headers are too long.") }
        }
        guard byte == UInt8(ascii: "\n") else {
            line.append(byte)
            return nil
        }
        guard line.popLast() == UInt8(ascii: "\r"), line.allSatisfy({ (32...126).contains($0) || $0 == 9 }) else {
            throw Refusal(.badRequest, "The head is ASCII, and its lines end with CR LF.")
        }
        let text = String(decoding: line, as: UTF8.self)
        line.removeAll(keepingCapacity: true)
        switch part {
        case .requestLine:
            part = try .headers(Request(line: text), isOld: text.hasSuffix("1.0"))
        case .headers(var request, let isOld) where !text.isEmpty:
            try request.addHeader(text)
            part = .headers(request, isOld: isOld)
        case .headers(let request, let isOld):
            let length = try request.bodyLength(limit: limits.body, needsHost: !isOld)
            if length == 0 { return request }
            part = .body(request, missing: length)
        case .body: break
        }
        return nil
    }
}
