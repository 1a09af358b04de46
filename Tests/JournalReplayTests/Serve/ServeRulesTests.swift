import Foundation
import JournalStore
import Testing
import TortureKit

@testable import JournalReplayKit

@Suite struct `Who gets what from a server` {
    private static let secrets: ServeSecrets = {
        var random = SplitMix(seed: 3)
        return ServeSecrets(using: &random)
    }()

    private static func rules(allowsChanges: Bool = false) -> ServeRules {
        ServeRules(port: 4_000, secrets: secrets, allowsChanges: allowsChanges)
    }

    /// A request of the page's own script.
    private static func request(
        _ part: String, method: String = "GET", query: [String: String] = [:], _ headers: [String: [String]?] = [:]
    ) -> ServeRequest {
        var request = ServeRequest(method: method, path: rules().pagePath + part, query: query)
        request.headers = ["host": ["127.0.0.1:4000"], "cookie": ["a=b; journal=\(secrets.session)"]]
        for (name, values) in headers { request.headers[name] = values }
        return request
    }

    private static func text(_ answer: PageService.Answer) throws -> String {
        guard case .bytes(let bytes) = answer.content else { throw Fixture.Failure(message: "It has no text.") }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func status(_ request: ServeRequest, allowsChanges: Bool = false) -> UInt32 {
        do throws(ServeRules.Refusal) {
            _ = try rules(allowsChanges: allowsChanges).route(request)
            return 200
        } catch {
            return error.status
        }
    }

    static let routes: [(part: String, query: [String: String], route: ServeRules.Route)] = [
        ("", [:], .page), ("events", ["after": "7"], .events(after: 7)),
        ("steps", ["from": "0", "to": "9"], .steps(from: 0, to: 9)), ("outcomes", [:], .outcomes),
        ("runs", ["from": "1", "to": "2"], .runs(from: 1, to: 2)), ("texts", ["chunk": "3"], .texts(chunk: 3)),
        ("run-texts", ["chunk": "0"], .runTexts(chunk: 0)),
        ("state", ["stream": "a b", "step": "5"], .state(stream: "a b", step: 5)),
    ]

    @Test(arguments: routes.indices) func `each part of the page has a route`(index: Int) throws {
        let (part, query, route) = Self.routes[index]
        #expect(try Self.rules().route(Self.request(part, query: query)) == route)
    }

    @Test func `a browser that connects again continues after what it got last`() throws {
        let request = Self.request("events", query: ["after": "2"], ["last-event-id": ["40"]])
        #expect(try Self.rules().route(request) == .events(after: 40))
    }

    @Test func `the token of the address leads to the page, once with GET and only at the root`() throws {
        var request = Self.request("", query: ["token": Self.secrets.token], ["cookie": nil])
        #expect(Self.status(request) == 403)
        request.path = "/"
        #expect(try Self.rules().route(request) == .enter)
        request.method = "POST"
        #expect(Self.status(request) == 405)
        request.method = "GET"
        request.query["token"]?.removeLast()
        #expect(Self.status(request) == 403)
    }

    static let refused: [(what: String, headers: [String: [String]?])] = [
        ("no cookie", ["cookie": nil]),
        ("another cookie", ["cookie": ["journal=\(String(repeating: "0", count: 64))"]]),
        ("the token as a cookie", ["cookie": ["journal=\(secrets.token)"]]),
        ("two headers with cookies", ["cookie": ["a=b", "journal=\(secrets.session)"]]),
        ("no host", ["host": nil]), ("two hosts", ["host": ["127.0.0.1:4000", "127.0.0.1:4000"]]),
        ("a name that leads here", ["host": ["evil.example:4000"]]), ("localhost", ["host": ["localhost:4000"]]),
        ("another port", ["host": ["127.0.0.1:4001"]]), ("another origin", ["origin": ["http://evil.example"]]),
        ("an opaque origin", ["origin": ["null"]]), ("two origins", ["origin": ["http://127.0.0.1:4000", "x"]]),
        ("another site", ["sec-fetch-site": ["cross-site"]]),
        ("another port of this host", ["sec-fetch-site": ["same-site"]]),
    ]

    @Test(arguments: refused.indices) func `a request of anyone else is refused`(index: Int) {
        let (what, headers) = Self.refused[index]
        for part in ["", "events", "act", "nothing"] {
            #expect(Self.status(Self.request(part, headers), allowsChanges: true) == 403, "\(what)")
        }
    }

    @Test func `a browser leaves the port of HTTP out`() throws {
        let rules = ServeRules(port: 80, secrets: Self.secrets, allowsChanges: false)
        #expect(rules.address == "http://127.0.0.1/?token=\(Self.secrets.token)")
        let own: [String: [String]?] = ["host": ["127.0.0.1"], "origin": ["http://127.0.0.1"]]
        #expect(try rules.route(Self.request("", own)) == .page)
        #expect(Self.status(Self.request("", own)) == 403)
    }

    @Test(arguments: ["x", "page", "../", "/", "act/", "events/", "texts", "steps"])
    func `a part that does not exist is missing`(part: String) {
        #expect(Self.status(Self.request(part)) == 404)
    }

    @Test(arguments: ["-1", "", "1.5", "99999999999999999999", "a"])
    func `a number that is none is missing`(number: String) {
        #expect(Self.status(Self.request("texts", query: ["chunk": number])) == 404)
    }

    @Test(arguments: ["POST", "PUT", "DELETE", "HEAD", "OPTIONS", "get", ""])
    func `a page is only read`(method: String) throws {
        let error = #expect(throws: ServeRules.Refusal.self) {
            try Self.rules().route(Self.request("", method: method))
        }
        #expect(error?.status == 405)
        #expect(error?.allow == "GET")
    }

    static let acts: [(what: String, allows: Bool, method: String, headers: [String: [String]?], status: UInt32)] = [
        ("allowed", true, "POST", [:], 200), ("read-only", false, "POST", [:], 403), ("read", true, "GET", [:], 405),
        ("no origin", true, "POST", ["origin": nil], 403),
        ("a form", true, "POST", ["content-type": ["application/x-www-form-urlencoded"]], 403),
        ("no type", true, "POST", ["content-type": nil], 403),
    ]

    @Test(arguments: acts.indices) func `an act comes from the page itself, if changes are allowed`(index: Int) {
        let (what, allows, method, headers, status) = Self.acts[index]
        let own: [String: [String]?] = ["origin": ["http://127.0.0.1:4000"], "content-type": ["application/json"]]
        let request = Self.request("act", method: method, own.merging(headers) { $1 })
        #expect(Self.status(request, allowsChanges: allows) == status, "\(what)")
    }

    @Test func `secrets are long, random and apart`() {
        let (one, other) = (ServeSecrets(), ServeSecrets())
        #expect(one.token.count == 64)
        #expect(Set([one.token, one.session, other.token, other.session, one.folder, other.folder]).count == 6)
        #expect(Self.rules().address == "http://127.0.0.1:4000/?token=\(Self.secrets.token)")
        #expect(!Self.rules().setCookie.contains(Self.secrets.token))
    }

    @Test(arguments: [
        ("", "", true), ("a", "a", true), ("a", "b", false), ("abc", "abd", false), ("abc", "ab", false),
        ("é", "e", false),
    ])
    func `texts are compared as a whole`(one: String, other: String, isEqual: Bool) {
        #expect(ServeSecrets.isEqual(one, other) == isEqual)
    }

    @Test(
        arguments: [
            (#"{"act":"cancel","stream":"a","step":2,"ordinal":0,"reason":"why"}"#, "why"),
            (#"{"act":"skip","stream":"a","step":2,"ordinal":null}"#, nil),
            (#"{"act":"release","stream":"a","step":2,"ordinal":1,"reason":""}"#, nil),
        ] as [(String, String?)])
    func `an act is read from JSON`(body: String, reason: String?) throws {
        let act = try #require(ServedAct(Array(body.utf8)))
        #expect(act.stream == "a")
        #expect(act.step == 2)
        #expect(act.reason == reason)
    }

    @Test(arguments: [
        "", "{", "[]", #"{"act":"cancel","stream":"a","step":2}"#, #"{"act":"skip","stream":"a","step":2,"ordinal":0}"#,
        #"{"act":"drop","stream":"a","step":2,"ordinal":0}"#, #"{"act":"cancel","stream":1,"step":2,"ordinal":0}"#,
        #"{"act":"cancel","stream":"a","step":"2","ordinal":0}"#,
        #"{"act":"cancel","stream":"a","step":2,"ordinal":0.5}"#,
        #"{"act":"cancel","stream":"a","step":99999999999999999999,"ordinal":0}"#,
    ])
    func `an act that is not complete is none`(body: String) {
        #expect(ServedAct(Array(body.utf8)) == nil)
    }

    @Test func `an act with a reason that is too long for the tool is refused`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        let machines = try Machines(own: [], libraries: [])
        let service = PageService(
            Self.rules(allowsChanges: true), LivePage(Redaction([])), try JournalReader(path: shop), PageOptions(),
            machines, nil
        ) {}
        var request = Self.request(
            "act", method: "POST",
            ["origin": ["http://127.0.0.1:4000"], "content-type": ["application/json"]])
        let reason = String(repeating: "x", count: 10_001)
        request.body = Array(
            #"{"act":"cancel","stream":"cart-1","step":2,"ordinal":1,"reason":"\#(reason)"}"#.utf8)
        let answer = service.answer(request)
        #expect(answer.status == 409)
        #expect(try Self.text(answer) == #"{"problem":"The reason is longer than 10,000 bytes."}"#)
        let line = try await Tool.run("cancel", shop, "cart-1", "2.1", "--yes", "--reason", reason)
        #expect(line.status == 64)
        #expect(line.error.hasPrefix("Error: The reason is longer than 10,000 bytes.\n"))
    }

    @Test func `no texts of a journal that has taken the place of the served one are shown`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.counter(entries: 2, "a.db")
        let other = try await fixture.counter(entries: 2, "other.db")
        let reader = try JournalReader(path: path)
        let page = LivePage(Redaction([]))
        let journal = try LiveJournal(reader, PageOptions()) { page.apply($0) }
        while try journal.read() {}
        let machines = try Machines(own: [], libraries: [])
        let service = PageService(Self.rules(), page, reader, PageOptions(), machines, nil) {}
        let request = Self.request("texts", query: ["chunk": "0"])
        #expect(service.answer(request).status == 200)
        try FileManager.default.moveItem(atPath: path, toPath: fixture.path("b.db"))
        try FileManager.default.copyItem(atPath: other, toPath: path)
        let answer = service.answer(request)
        #expect(answer.status == 500)
        #expect(try Self.text(answer).contains("Another file has this name now."))
    }

    @Test func `a state that is not JSON is left out if any path is given`() async throws {
        let fixture = try Fixture()
        let reader = try JournalReader(path: try await fixture.shouts())
        let machines = try Machines(own: [ReplayMachine(shouting)], libraries: [])
        let cases: [(paths: [StatePath], state: String)] = [
            ([], #"!["hunter2"]"#), ([try StatePath("card")], JSON.text(Redaction.mark).json),
        ]
        for (paths, state) in cases {
            var options = PageOptions()
            options.redaction = Redaction(paths)
            let service = PageService(Self.rules(), LivePage(options.redaction), reader, options, machines, nil) {}
            let answer = service.answer(Self.request("state", query: ["stream": "a", "step": "1"]))
            let expected = JSON.object([JSON.Member(key: "state", value: .text(state))]).json
            #expect(try Self.text(answer) == expected)
        }
    }

    @Test func `why a step has no state is left out if any path is given`() async throws {
        let fixture = try Fixture()
        let reader = try JournalReader(path: try await fixture.unknownAction())
        let machines = try Machines(own: [ReplayMachine(account)], libraries: [])
        let cases: [[StatePath]] = [[], [try StatePath("card")]]
        for paths in cases {
            var options = PageOptions()
            options.redaction = Redaction(paths)
            let service = PageService(Self.rules(), LivePage(options.redaction), reader, options, machines, nil) {}
            let answer = service.answer(Self.request("state", query: ["stream": "a", "step": "2"]))
            let text = try Self.text(answer)
            #expect(text.hasPrefix(#"{"problem":"#), "\(text)")
            #expect(text.contains("not a Posting") == paths.isEmpty, "\(text)")
        }
    }

    @Test func `nothing is told of a stream that the page does not have, and no act is done on it`() async throws {
        let fixture = try Fixture()
        let reader = try JournalReader(path: try await fixture.shop())
        let options = PageOptions(streams: [ByteName("cart-1")])
        let machines = try Machines(own: [], libraries: [])
        let service = PageService(
            Self.rules(allowsChanges: true), LivePage(options.redaction), reader, options, machines, nil
        ) {}
        let problem = #"{"problem":"The page does not have this stream."}"#
        let state = service.answer(Self.request("state", query: ["stream": "cart-2", "step": "1"]))
        #expect(try Self.text(state) == problem)
        var request = Self.request(
            "act", method: "POST",
            ["origin": ["http://127.0.0.1:4000"], "content-type": ["application/json"]])
        request.body = Array(#"{"act":"cancel","stream":"cart-2","step":1,"ordinal":0}"#.utf8)
        let act = service.answer(request)
        #expect(act.status == 403)
        #expect(try Self.text(act) == problem)
        #expect(try reader.interventions(in: "cart-2").isEmpty)
    }

    @Test func `an act that is not text is none`() {
        #expect(ServedAct([0x7B, 0xFF, 0xFE]) == nil)
    }
}
