// Reads a text without a `Codable` type, for an import and for the tool.
extension JSONDocument {
    /// Scans a stored text and returns the result of the closure; nil if the text is not JSON.
    package static func read<Result>(_ text: String, _ body: (JSONDocument) -> Result) -> Result? {
        var text = text
        return text.withUTF8 { bytes in (try? JSONDocument(bytes, .stored)).map(body) }
    }

    package func kind(_ token: Int) -> JSONToken.Kind { tokens[token].kind }

    /// The length in bytes; for an array or object, the number of its elements or members.
    package func count(_ token: Int) -> Int { Int(tokens[token].count) }

    /// The token after a value and its contents.
    package func end(of token: Int) -> Int { Int(tokens[token].next) }

    /// The tokens of an array's elements, or of an object's keys; the token after a key is its value.
    package func children(_ container: Int) -> [Int] {
        var children: [Int] = []
        children.reserveCapacity(count(container))
        let value = tokens[container].kind == .object ? 1 : 0
        var child = container + 1
        while child < end(of: container) {
            children.append(child)
            child = end(of: child + value)
        }
        return children
    }

    /// Removes the string at the start of `rest` and decodes it; nil if there is none, or it is malformed. The rest
    /// need not be JSON.
    package static func takeText(from rest: inout Substring.UTF8View) -> String? {
        var text = Substring(rest)
        let found = text.withUTF8 { bytes -> (text: String, length: Int)? in
            guard let base = bytes.baseAddress else { return nil }
            var scan = JSONScan(bytes, base, .loose)
            defer { scan.tokens.free() }
            guard scan.text() != nil else { return nil }
            let length = Int(scan.tokens.base[0].count)
            return (JSONEscape.unescape(UnsafeBufferPointer(start: base + 1, count: length)), length + 2)
        }
        rest = rest.dropFirst(found?.length ?? 0)
        return found?.text
    }
}
