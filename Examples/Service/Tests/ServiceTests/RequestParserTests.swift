import Testing

@testable import service

/// A request as bytes, and what becomes of it.
struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var text: String
    var status: Status?

    init(_ description: String, _ text: String, _ status: Status?) {
        (testDescription, self.text, self.status) = (description, text, status)
    }
}

@Suite struct `The parser of requests` {
    private static let limits = Limits(requestLine: 60, headers: 200, body: 20)

    @Test(arguments: [
        Case("a request", "GET /orders/17 HTTP/1.1\r\nHost: localhost\r\n\r\n", nil),
        Case("an old request without a host", "GET / HTTP/1.0\r\n\r\n", nil),
        Case("a body", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc", nil),
        Case("more than the body", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabcdef", nil),
        Case("a header of several lines", "GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n", .badRequest),
        Case("a space before the colon", "GET / HTTP/1.1\r\nHost : a\r\n\r\n", .badRequest),
        Case("a header without a colon", "GET / HTTP/1.1\r\nHost\r\n\r\n", .badRequest),
        Case("no host", "GET / HTTP/1.1\r\n\r\n", .badRequest),
        Case("lines that end with LF", "GET / HTTP/1.1\nHost: a\n\n", .badRequest),
        Case("a CR inside a line", "GET / HTTP/1.1\r\nHost: a\rb\r\n\r\n", .badRequest),
        Case("a NUL", "GET / HTTP/1.1\r\nHost: \0\r\n\r\n", .badRequest),
        Case("letters beyond ASCII", "GET /ä HTTP/1.1\r\n", .badRequest),
        Case("two spaces", "GET  / HTTP/1.1\r\n", .badRequest),
        Case("no path", "GET orders HTTP/1.1\r\n", .badRequest),
        Case("no version", "GET /\r\n", .badRequest),
        Case("a newer version", "GET / HTTP/2.0\r\n", .versionNotSupported),
        Case("an empty line", "\r\n", .badRequest),
        Case("a long path", "GET /" + String(repeating: "a", count: 60), .uriTooLong),
        Case(
            "long headers", "GET / HTTP/1.1\r\nHost: " + String(repeating: "a", count: 200), .headersTooLarge),
        Case(
            "many headers", "GET / HTTP/1.1\r\n" + String(repeating: "a:\r\n", count: 60), .headersTooLarge),
        Case("a long body", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 21\r\n\r\n", .contentTooLarge),
        Case(
            "a length beyond all numbers",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n", .contentTooLarge),
        Case("a negative length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n", .badRequest),
        Case("an empty length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\n", .badRequest),
        Case(
            "two lengths", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\n", .badRequest),
        Case(
            "chunks", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", .notImplemented),
        Case("a client that waits", "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n", .expectationFailed),
    ])
    func `it takes a request or refuses it, in whatever pieces it comes`(_ given: Case) {
        let bytes = Array(given.text.utf8)
        for size in [1, 2, 7, bytes.count] {
            var parser = RequestParser(Self.limits)
            var (request, refusal): (Request?, Refusal?)
            for start in stride(from: 0, to: bytes.count, by: size) where request == nil && refusal == nil {
                do throws(Refusal) {
                    request = try parser.add(bytes[start..<min(start + size, bytes.count)])
                } catch { refusal = error }
            }
            #expect(refusal?.status == given.status)
            #expect((request != nil) == (given.status == nil))
        }
    }

    @Test func `a request has its path without the query, its headers and its body`() throws {
        var parser = RequestParser(Self.limits)
        let head = "POST /orders/1/place?a=b HTTP/1.1\r\nHOST:\t a \r\nX: 1\r\nx: 2\r\nContent-Length: 2\r\n\r\n"
        #expect(try parser.add(head.utf8) == nil)
        #expect(!parser.isEmpty)
        #expect(
            try parser.add([1, 2, 3])
                == Request(
                    method: "POST", path: "/orders/1/place",
                    headers: ["host": "a", "x": "1, 2", "content-length": "2"], body: [1, 2]))
    }
}
