/// Decides what a request gets: who may ask, and for what. Does no I/O.
struct ServeRules: Sendable {
    /// What a request asks for.
    enum Route: Hashable, Sendable {
        /// The printed address: sets the cookie, and leads to the page.
        case enter
        case page
        /// What is new after a revision, as it arrives.
        case events(after: Int)
        case steps(from: Int, to: Int)
        case outcomes
        case runs(from: Int, to: Int)
        case texts(chunk: Int)
        case runTexts(chunk: Int)
        case state(stream: String, step: Int)
        /// An act of an operator.
        case act
    }

    /// Why a request gets nothing.
    struct Refusal: Error, Hashable, Sendable {
        var status: UInt32
        var message: String
        /// The methods that are allowed instead.
        var allow: String?
    }

    static let cookie = "journal"

    let port: UInt16
    let secrets: ServeSecrets
    let allowsChanges: Bool

    /// The address of this server, and the only one that its pages come from.
    var origin: String { "http://\(host)" }
    /// A browser leaves the port of HTTP out: https://url.spec.whatwg.org/#default-port
    private var host: String { port == 80 ? "127.0.0.1" : "127.0.0.1:\(port)" }
    /// The address for the person who started the server.
    var address: String { "\(origin)/?token=\(secrets.token)" }
    var pagePath: String { "/\(secrets.folder)/" }

    func route(_ request: ServeRequest) throws(Refusal) -> Route {
        try checkSource(request)
        if request.path == "/", let token = request.query["token"] {
            guard ServeSecrets.isEqual(token, secrets.token) else { throw ServeRules.unknown }
            try check(request, isAllowed: "GET")
            return .enter
        }
        guard let session = request.cookie(ServeRules.cookie), ServeSecrets.isEqual(session, secrets.session) else {
            throw ServeRules.unknown
        }
        let route = try route(toPart: request)
        try check(request, isAllowed: route == .act ? "POST" : "GET")
        guard route == .act else { return route }
        guard allowsChanges else {
            throw Refusal(status: 403, message: "This server only reads: start it with --allow-changes.")
        }
        // A form of another page cannot send this type, and a script of another page may not.
        guard request.header("origin") == origin, request.header("content-type") == "application/json" else {
            throw Refusal(status: 403, message: "An act must come from the page itself.")
        }
        return route
    }

    private static let unknown = Refusal(
        status: 403, message: "Open the address that 'serve' printed: it has the token of this server.")

    /// A page of another site can send requests to this port, also under a name that it makes lead here (DNS
    /// rebinding). The browser tells such requests apart: https://www.w3.org/TR/fetch-metadata/
    private func checkSource(_ request: ServeRequest) throws(Refusal) {
        guard request.header("host") == host else {
            throw Refusal(status: 403, message: "Use the address \(origin): the request names another host.")
        }
        guard request.headers["origin"] == nil || request.header("origin") == origin,
            ["same-origin", "none"].contains(request.header("sec-fetch-site") ?? "none")
        else {
            throw Refusal(status: 403, message: "The request comes from another page.")
        }
    }

    private func check(_ request: ServeRequest, isAllowed method: String) throws(Refusal) {
        guard request.method == method else {
            throw Refusal(status: 405, message: "Only \(method) is possible here.", allow: method)
        }
    }

    private func route(toPart request: ServeRequest) throws(Refusal) -> Route {
        guard request.path.hasPrefix(pagePath) else { throw ServeRules.missing }
        switch request.path.dropFirst(pagePath.count) {
        case "": return .page
        case "events":
            // A browser that reconnects says what it got last.
            // https://html.spec.whatwg.org/multipage/server-sent-events.html#the-last-event-id-header
            let last = request.header("last-event-id").flatMap { Int($0) }
            return .events(after: try ServeRules.need(last ?? request.number("after")))
        case "steps": return .steps(from: try need(request, "from"), to: try need(request, "to"))
        case "outcomes": return .outcomes
        case "runs": return .runs(from: try need(request, "from"), to: try need(request, "to"))
        case "texts": return .texts(chunk: try need(request, "chunk"))
        case "run-texts": return .runTexts(chunk: try need(request, "chunk"))
        case "state": return .state(stream: request.query["stream"] ?? "", step: try need(request, "step"))
        case "act": return .act
        default: throw ServeRules.missing
        }
    }

    static let missing = Refusal(status: 404, message: "There is no such page.")

    private func need(_ request: ServeRequest, _ name: String) throws(Refusal) -> Int {
        try ServeRules.need(request.number(name))
    }

    private static func need(_ number: Int?) throws(Refusal) -> Int {
        guard let number else { throw missing }
        return number
    }

    // MARK: Headers

    /// The headers of each answer. Nothing is kept by the browser, shown in a frame, or readable for another page.
    func headers(_ policy: String) -> [(name: String, value: String)] {
        [
            ("Content-Security-Policy", policy + "; frame-ancestors 'none'"), ("Cache-Control", "no-store"),
            ("X-Content-Type-Options", "nosniff"),
            ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Resource-Policy", "same-origin"),
            ("Cross-Origin-Opener-Policy", "same-origin"), ("X-Frame-Options", "DENY"),
        ]
    }

    /// No script can read the cookie, and no other site's page can make the browser send it.
    var setCookie: String {
        "\(ServeRules.cookie)=\(secrets.session); Path=\(pagePath); HttpOnly; SameSite=Strict"
    }
}
