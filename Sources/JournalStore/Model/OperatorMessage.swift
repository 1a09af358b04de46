// What an operator's program and the app that holds a journal say to each other through a socket: one line of JSON for
// a request, one for the answer.

/// A request to the process that holds a journal.
package struct OperatorRequest: Codable, Hashable, Sendable {
    /// An act on an effect or a step.
    package struct Act: Codable, Hashable, Sendable {
        package var act: String
        package var stream: String
        package var step: Int
        /// The effect's ordinal; nil to skip the step.
        package var ordinal: Int?
        package var reason: String?

        package init(_ act: Intervention.Act, stream: String, step: Int, ordinal: Int?, reason: String?) {
            (self.act, self.stream, self.step, self.ordinal) = (act.rawValue, stream, step, ordinal)
            self.reason = reason
        }
    }

    package static let protocolNumber = 1

    /// The version of the protocol.
    package var version = OperatorRequest.protocolNumber
    /// From when on the request must not be carried out any more, in microseconds since 1970: nobody waits for the
    /// answer.
    package var deadline: Int64
    /// What to do; nil to ask for the metrics.
    package var act: Act?

    package init(deadline: Timestamp, _ act: Act?) {
        (self.deadline, self.act) = (deadline.microseconds, act)
    }
}

/// The answer to an ``OperatorRequest``: `done`, `failure` or `metrics`.
package struct OperatorAnswer: Codable, Hashable, Sendable {
    /// A ``JournalError``.
    package struct Failure: Codable, Hashable, Sendable {
        package var code: String
        package var message: String
        package var advice: String
        package var stream: String?
        package var step: Int?

        package init(_ error: JournalError) {
            (code, message, advice) = (error.code.rawValue, error.message, error.advice)
            (stream, step) = (error.stream, error.step)
        }

        package func error(file: String?) -> JournalError {
            JournalError(.init(rawValue: code), message, advice: advice, file: file, stream: stream, step: step)
        }
    }

    /// The act was done and is recorded.
    package var done: Bool?
    /// With `done`: whether the effect has a cancel action, which the next opening of its stream sends.
    package var waitsForOpening: Bool?
    package var failure: Failure?
    package var metrics: JournalMetrics?

    package init(
        done: Bool? = nil, waitsForOpening: Bool? = nil, failure: Failure? = nil, metrics: JournalMetrics? = nil
    ) {
        (self.done, self.waitsForOpening) = (done, waitsForOpening)
        (self.failure, self.metrics) = (failure, metrics)
    }
}

/// What the bytes that arrived so far on a connection are.
enum OperatorInput: Hashable {
    case incomplete
    case request(OperatorRequest)
    /// An HTTP request, so that `curl` and a proxy can read the metrics. The path is without its query.
    case http(method: String, path: String)
    /// Nothing that can be answered: why.
    case garbage(String)

    /// The most bytes of a request. A reason can be long, and names of streams too.
    static let mostBytes = 64 * 1024

    /// What a request is whose end has not come after so many bytes.
    private static func unfinished(_ count: Int) -> OperatorInput {
        count > mostBytes ? .garbage("The request is longer than \(mostBytes / 1024) KiB.") : .incomplete
    }

    init(_ bytes: some Collection<UInt8>) {
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else {
            self = OperatorInput.unfinished(bytes.count)
            return
        }
        let line = bytes[..<end]
        let text = String(decoding: line, as: UTF8.self)
        let words = text.split(whereSeparator: { $0 == " " || $0.isNewline })
        if words.count == 3, words[2].hasPrefix("HTTP/"), words[0].allSatisfy({ $0.isASCII && $0.isUppercase }) {
            // The fields of the head do not matter, but the client must have sent them all.
            guard OperatorInput.endsHead(bytes) else {
                self = OperatorInput.unfinished(bytes.count)
                return
            }
            self = .http(method: String(words[0]), path: OperatorInput.path(of: words[1]))
            return
        }
        guard line.count <= OperatorInput.mostBytes,
            let request = try? JSONCodec().decode(OperatorRequest.self, from: text)
        else {
            self = .garbage("This is not a request.")
            return
        }
        guard request.version == OperatorRequest.protocolNumber else {
            self = .garbage("This is a request of another version.")
            return
        }
        self = .request(request)
    }

    /// The path of `/metrics?at=1`, or of `http://localhost/metrics` as proxies write it.
    private static func path(of target: Substring) -> String {
        let path = target.prefix { $0 != "?" }
        guard path.hasPrefix("http://") else { return String(path) }
        return String(path.dropFirst("http://".count).drop { $0 != "/" })
    }

    /// Whether an empty line ends the head of an HTTP request.
    private static func endsHead(_ bytes: some Collection<UInt8>) -> Bool {
        var wasLineEnd = false
        for byte in bytes where byte != UInt8(ascii: "\r") {
            let isLineEnd = byte == UInt8(ascii: "\n")
            if isLineEnd, wasLineEnd { return true }
            wasLineEnd = isLineEnd
        }
        return false
    }
}
