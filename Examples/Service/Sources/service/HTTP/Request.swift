/// A request that is complete.
struct Request: Equatable, Sendable {
    var method: String
    /// Without the query.
    var path: String
    /// By their names in lower case. The values of a name that comes several times are joined with commas.
    var headers: [String: String] = [:]
    var body: [UInt8] = []
}

/// Why a request is not served: a status and a sentence for the client.
struct Refusal: Error, Equatable {
    var status: Status
    var reason: String

    init(_ status: Status, _ reason: String) {
        (self.status, self.reason) = (status, reason)
    }
}
