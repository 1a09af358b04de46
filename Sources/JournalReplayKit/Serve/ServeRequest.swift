/// A request of a browser, as far as the server looks at it.
struct ServeRequest: Sendable {
    var method = "GET"
    var path = "/"
    /// Names in lower case; a header that occurs several times has several values.
    var headers: [String: [String]] = [:]
    var query: [String: String] = [:]
    var body: [UInt8] = []

    /// The value of a header that occurs once.
    func header(_ name: String) -> String? {
        headers[name].flatMap { $0.count == 1 ? $0[0] : nil }
    }

    /// The value of a cookie.
    func cookie(_ name: String) -> String? {
        for cookie in (header("cookie") ?? "").split(separator: ";") {
            let parts = cookie.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
            if parts.count == 2, parts[0] == name { return String(parts[1]) }
        }
        return nil
    }

    /// A number of 0 or more in the query.
    func number(_ name: String) -> Int? {
        query[name].flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil }
    }
}
