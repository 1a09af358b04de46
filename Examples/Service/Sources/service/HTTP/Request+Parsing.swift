// The lines of a request. Each is ASCII, without its line end.

extension Request {
    /// Reads a request line, as `GET /orders/17 HTTP/1.1`.
    init(line: String) throws(Refusal) {
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, words[0].isToken, words[1].hasPrefix("/"), words[2].hasPrefix("HTTP/") else {
            throw Refusal(.badRequest, "The request line is a method, a path and a version.")
        }
        guard words[2] == "HTTP/1.1" || words[2] == "HTTP/1.0" else {
            throw Refusal(.versionNotSupported, "The version is HTTP/1.1.")
        }
        self.init(method: String(words[0]), path: String(words[1].prefix { $0 != "?" }))
    }

    /// Reads a header, as `Host: localhost`.
    mutating func addHeader(_ line: String) throws(Refusal) {
        // A space before the colon, or at the begin of the line, is read differently by other programs.
        guard let colon = line.firstIndex(of: ":"), line[..<colon].isToken else {
            throw Refusal(.badRequest, "A header is a name, a colon and a value.")
        }
        let name = line[..<colon].lowercased()
        let value = line[line.index(after: colon)...].trimmed
        headers[name] = headers[name].map { "\($0), \(value)" } ?? value
    }

    /// The length of the body, when all headers have come.
    func bodyLength(limit: Int, needsHost: Bool) throws(Refusal) -> Int {
        if needsHost, headers["host"] == nil { throw Refusal(.badRequest, "There is no Host.") }
        // Two lengths of one body are how requests are smuggled past a proxy.
        if headers["transfer-encoding"] != nil { throw Refusal(.notImplemented, "A body has a Content-Length.") }
        if headers["expect"] != nil { throw Refusal(.expectationFailed, "Send the body without waiting.") }
        guard let text = headers["content-length"] else { return 0 }
        guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else {
            throw Refusal(.badRequest, "Content-Length is one number.")
        }
        guard let length = Int(text), length <= limit else {
            throw Refusal(.contentTooLarge, "A body has at most \(limit) bytes.")
        }
        return length
    }
}

extension StringProtocol {
    /// Whether it is a name of a method or a header: https://www.rfc-editor.org/rfc/rfc9110#name-tokens.
    fileprivate var isToken: Bool {
        !isEmpty && allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "!#$%&'*+-.^_`|~".contains($0)) }
    }

    /// Without the spaces and tabs around it.
    fileprivate var trimmed: String {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        return String(drop(while: isBlank).reversed().drop(while: isBlank).reversed())
    }
}
