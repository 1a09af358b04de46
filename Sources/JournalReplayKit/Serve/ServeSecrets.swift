/// The random texts that only the person who started the server and the browser know. They end with the server.
struct ServeSecrets: Sendable {
    /// In the printed address, which a browser exchanges for the cookie.
    let token: String
    /// The value of the cookie.
    let session: String
    /// The folder of the page. Cookies belong to a host and not to a port: with this path, no other server on this
    /// machine gets the cookie, and the cookies of two of these servers are apart.
    let folder: String

    init() {
        var random = SystemRandomNumberGenerator()
        self.init(using: &random)
    }

    init(using random: inout some RandomNumberGenerator) {
        func text(_ bytes: Int) -> String {
            let digits = Array("0123456789abcdef")
            return String((0..<2 * bytes).map { _ in digits[Int(random.next(upperBound: UInt(16)))] })
        }
        (token, session, folder) = (text(32), text(32), text(8))
    }

    /// Compares in a time that does not depend on where two texts of the same length differ.
    static func isEqual(_ one: String, _ other: String) -> Bool {
        let (one, other) = (Array(one.utf8), Array(other.utf8))
        guard one.count == other.count else { return false }
        return zip(one, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
