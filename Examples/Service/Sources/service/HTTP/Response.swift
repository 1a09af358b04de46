import Foundation

/// The statuses that the service answers with.
enum Status: Int, Sendable {
    case ok = 200
    case accepted = 202
    case badRequest = 400
    case notFound = 404
    case methodNotAllowed = 405
    case requestTimeout = 408
    case conflict = 409
    case contentTooLarge = 413
    case uriTooLong = 414
    case expectationFailed = 417
    case misdirectedRequest = 421
    case headersTooLarge = 431
    case internalError = 500
    case notImplemented = 501
    case unavailable = 503
    case versionNotSupported = 505

    var phrase: String {
        switch self {
        case .ok: "OK"
        case .accepted: "Accepted"
        case .badRequest: "Bad Request"
        case .notFound: "Not Found"
        case .methodNotAllowed: "Method Not Allowed"
        case .requestTimeout: "Request Timeout"
        case .conflict: "Conflict"
        case .contentTooLarge: "Content Too Large"
        case .uriTooLong: "URI Too Long"
        case .expectationFailed: "Expectation Failed"
        case .misdirectedRequest: "Misdirected Request"
        case .headersTooLarge: "Request Header Fields Too Large"
        case .internalError: "Internal Server Error"
        case .notImplemented: "Not Implemented"
        case .unavailable: "Service Unavailable"
        case .versionNotSupported: "HTTP Version Not Supported"
        }
    }
}

/// An answer in JSON. It is the last one of its connection.
struct Response: Sendable {
    var status: Status
    var headers: [String: String] = [:]
    var json: String

    /// A value as JSON, with sorted keys.
    init(_ status: Status, _ value: some Encodable) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        self.status = status
        // A value of this service can always be encoded.
        json = (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
    }

    init(_ refusal: Refusal) {
        self.init(refusal.status, ["error": refusal.reason])
    }

    var bytes: [UInt8] {
        var lines = ["HTTP/1.1 \(status.rawValue) \(status.phrase)"]
        lines += headers.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        lines += ["Content-Type: application/json", "Content-Length: \(json.utf8.count + 1)", "Connection: close"]
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + json + "\n").utf8)
    }
}
