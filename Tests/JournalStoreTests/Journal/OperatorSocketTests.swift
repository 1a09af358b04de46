import Foundation
import JournalTesting
import Testing
import TortureKit

@testable import JournalStore

@Suite struct `The socket for operators` {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        // The path of a socket has at most about a hundred bytes.
        folder = try TemporaryFolder(in: "/tmp")
        path = folder.path("a.db")
    }

    private var socket: String { path + "-socket" }

    /// Sends bytes and returns all that comes back. Tries again while the app has too many connections, or did not get
    /// the bytes in time.
    private func exchange(_ bytes: [UInt8], endsInput: Bool = false) async throws -> String {
        var answer = ""
        repeat {
            answer = try await exchangeOnce(bytes, endsInput: endsInput)
        } while answer.contains(#""code":"overloaded""#)
        return answer
    }

    private func exchangeOnce(_ bytes: [UInt8], endsInput: Bool = false) async throws -> String {
        try await onThread { [socket] in
            let descriptor = try #require(LocalSocket.connect(to: socket, timeout: .seconds(600)))
            defer { LocalSocket.closeSocket(descriptor) }
            _ = LocalSocket.send(bytes, to: descriptor)
            if endsInput { shutdown(descriptor, Int32(SHUT_WR)) }
            var answer: [UInt8] = []
            while let part = LocalSocket.receive(descriptor, upTo: 65_536), !part.isEmpty { answer += part }
            return String(decoding: answer, as: UTF8.self)
        }
    }

    private func metrics(_ deadline: Timestamp = Timestamp(microseconds: .max)) throws -> [UInt8] {
        Array((try JSONCodec().encode(OperatorRequest(deadline: deadline, nil)) + "\n").utf8)
    }

    // MARK: The file

    @Test func `only the user of the app can open it, and it is deleted at the close`() async throws {
        let journal = try Journal(path: path)
        #expect(Platform.fileAccess(ofPath: socket)?.mode == 0o600)
        try await journal.close()
        #expect(Platform.identity(ofPath: socket) == nil)
    }

    @Test func `a released journal deletes it, and one that does not listen makes none`() throws {
        do {
            let journal = try Journal(path: path)
            #expect(Platform.identity(ofPath: socket) != nil)
            withExtendedLifetime(journal) {}
        }
        #expect(Platform.identity(ofPath: socket) == nil)
        var options = Journal.Options()
        options.acceptsOperators = false
        let journal = try Journal(path: path, options: options)
        #expect(Platform.identity(ofPath: socket) == nil)
        #expect(try JournalHolder(of: path)?.address == nil)
        withExtendedLifetime(journal) {}
    }

    @Test func `a socket that a killed process left is replaced`() async throws {
        // A listener that nobody removes.
        _ = LocalSocket.listen(at: socket, backlog: 1)
        let journal = try Journal(path: path)
        #expect(try await exchange(metrics()).hasPrefix(#"{"metrics":"#))
        try await journal.close()
    }

    /// A copy of the folder of a running app has the name of its socket.
    @Test func `a socket elsewhere that somebody listens at stays`() async throws {
        let name = "/tmp/journal-\(Platform.randomBytes(8).hexadecimal)-socket"
        let listener = try #require(LocalSocket.listen(at: name, backlog: 4))
        OperatorAddress.removeRemains(name, besides: path)
        #expect(Platform.identity(ofPath: name) != nil)
        // A child that is about to call `exec` has a copy of the descriptor.
        let copy = dup(listener)
        defer { close(copy) }
        LocalSocket.stopListening(listener)
        OperatorAddress.removeRemains(name, besides: path)
        #expect(Platform.identity(ofPath: name) == nil)
    }

    @Test func `a file of that name that is no socket stays, and the journal works without`() async throws {
        try Data("mine".utf8).write(to: URL(fileURLWithPath: socket))
        let notices = Box<[Notice.Kind]>([])
        var options = Journal.Options()
        options.report = { notice in notices.change { $0.append(notice.kind) } }
        let journal = try Journal(path: path, options: options)
        #expect(notices.value == [.operatorsUnavailable])
        try await journal.close()
        #expect(try String(contentsOfFile: socket, encoding: .utf8) == "mine")
    }

    @Test func `if its path is too long it is elsewhere, and the sidecar names it`() async throws {
        let deep = folder.path(String(repeating: "d", count: 100))
        try FileManager.default.createDirectory(atPath: deep, withIntermediateDirectories: true)
        let journal = try Journal(path: deep + "/a.db")
        let address = try #require(JournalHolder(of: deep + "/a.db")?.address)
        #expect(address.path.hasPrefix("/tmp/journal-"))
        #expect(Platform.fileAccess(ofPath: address.path)?.mode == 0o600)
        try await journal.close()
        #expect(Platform.identity(ofPath: address.path) == nil)
    }

    @Test(arguments: [
        "/etc/passwd", "../x-socket", "/tmp/journal-../x-socket", "/tmp/journal-a/\u{301}x-socket", "b.db-socket", "",
        "/tmp/x-socket",
    ])
    func `an address that no opening writes is none`(_ name: String) {
        #expect(OperatorAddress(named: name, besides: "/data/a.db") == nil)
    }

    @Test(.enabled(if: isRoot, "only root can act as another user"))
    func `another user of the machine cannot connect`() async throws {
        let journal = try Journal(path: path)
        let script = """
            use Socket; $) = $> = 65534; socket(S, AF_UNIX, SOCK_STREAM, 0) or die;
            print connect(S, sockaddr_un($ARGV[0])) ? "in" : "out: $!";
            """
        // The folder is open to all, so that only the socket's own mode is in the way.
        _ = try await Child.run("/bin/chmod", ["755", folder.path("")])
        let other = try await Child.run("/usr/bin/perl", ["-e", script, socket])
        #expect(other.output == "out: Permission denied")
        try await journal.close()
    }

    // MARK: Requests

    @Test(arguments: [
        ("nothing", "", true), ("half a request", #"{"version":1,"dead"#, true), ("noise", "\u{0}\u{1}\u{2}\n", false),
        ("another language", "HELO example\r\n", false),
        ("deep nesting", String(repeating: "[", count: 60_000) + "\n", false),
        ("a wrong type", #"{"version":"1","deadline":true}"# + "\n", false),
        ("another version", #"{"version":2,"deadline":9000000000000000}"# + "\n", false),
        ("a line that is too long", String(repeating: "x", count: 200_000), false),
    ])
    func `garbage is refused or ignored`(_ what: String, _ text: String, endsInput: Bool) async throws {
        let journal = try Journal(path: path)
        let answer = try await exchange(Array(text.utf8), endsInput: endsInput)
        #expect(answer.isEmpty || answer.hasPrefix(#"{"failure":{"advice":"#), "\(what): \(answer)")
        #expect(try await exchange(metrics()).hasPrefix(#"{"metrics":"#))
        try await journal.close()
    }

    @Test func `a client that is gone after a part of its request leaves its place at once`() async throws {
        let journal = try Journal(path: path)
        for _ in 0..<40 {
            let client = try #require(LocalSocket.connect(to: socket, timeout: .seconds(10)))
            #expect(LocalSocket.send(Array(#"{"version":1,"dead"#.utf8), to: client))
            LocalSocket.closeSocket(client)
            // Not even once is there no place for another client.
            #expect(try await exchangeOnce(metrics()).hasPrefix(#"{"metrics":"#))
        }
        try await journal.close()
    }

    @Test func `an act that names nothing is refused`() async throws {
        let journal = try Journal(path: path)
        for act in [
            #"{"act":"explode","stream":"a","step":1}"#, #"{"act":"cancel","stream":"a","step":1}"#,
            #"{"act":"cancel","stream":"a","step":-1,"ordinal":-5}"#, #"{"act":"skip","stream":"a","step":1}"#,
            #"{"act":"cancel","stream":"a","step":1,"ordinal":0}"#,
        ] {
            let request = #"{"version":1,"deadline":9000000000000000,"act":\#(act)}"# + "\n"
            #expect(try await exchange(Array(request.utf8)).hasPrefix(#"{"failure":{"advice":"#))
        }
        try await journal.close()
    }

    @Test func `a request whose deadline has passed is not carried out`() async throws {
        let journal = try Journal(path: path)
        #expect(try await exchange(metrics(Timestamp(microseconds: 1))) == "")
        try await journal.close()
    }

    @Test func `more connections than it takes do not stop the others`() async throws {
        let journal = try Journal(path: path)
        let idle = (0..<100).compactMap { _ in LocalSocket.connect(to: socket, timeout: .seconds(600)) }
        for descriptor in idle { LocalSocket.closeSocket(descriptor) }
        // The closed connections count until the app has noticed their end.
        #expect(try await exchange(metrics()).hasPrefix(#"{"metrics":"#))
        try await journal.close()
    }

    @Test func `a connection without a request ends, and its client hears that nothing was done`() async throws {
        let journal = try openJournal(path) { $0.requestTime = .milliseconds(1) }
        let answer = try await exchangeOnce([])
        #expect(answer.contains(#""code":"overloaded","message":"The request did not come in time.""#), "\(answer)")
        try await journal.close()
    }

    @Test func `random changes of requests are read without harm`() throws {
        let act = OperatorRequest.Act(.cancel, stream: "a", step: 17, ordinal: 0, reason: "é\n")
        let whole = Array(
            (try JSONCodec().encode(OperatorRequest(deadline: Timestamp(microseconds: 5), act)) + "\n").utf8)
        #expect(OperatorInput(whole) == .request(OperatorRequest(deadline: Timestamp(microseconds: 5), act)))
        for end in 0..<whole.count - 1 { #expect(OperatorInput(whole[..<end]) == .incomplete) }
        var random = SplitMix(seed: 1)
        for _ in 0..<20_000 {
            var bytes = whole
            for _ in 0...Int.random(in: 0..<4, using: &random) {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.insert(UInt8.random(in: 0...255, using: &random), at: index)
                default: bytes.remove(at: index)
                }
            }
            if case .request(let request) = OperatorInput(bytes) { #expect(request.version == 1) }
        }
    }

    // MARK: Metrics

    @Test func `an HTTP client reads the metrics`() async throws {
        let journal = try Journal(path: path)
        let answer = try await exchange(Array("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
        #expect(answer.hasPrefix("HTTP/1.0 200 OK\r\n"))
        #expect(answer.contains("\njournal_open_streams 0\n"))
        for target in ["/metrics?at=1", "http://localhost/metrics"] {
            let answer = try await exchange(Array("GET \(target) HTTP/1.1\r\n\r\n".utf8))
            #expect(answer.hasPrefix("HTTP/1.0 200 OK\r\n"), "\(target)")
        }
        #expect(try await exchange(Array("GET / HTTP/1.1\r\n\r\n".utf8)).hasPrefix("HTTP/1.0 404"))
        #expect(try await exchange(Array("POST /metrics HTTP/1.1\r\n\r\n".utf8)).hasPrefix("HTTP/1.0 405"))
        let request = OperatorRequest(
            deadline: Timestamp(microseconds: .max),
            OperatorRequest.Act(.skip, stream: "a", step: 1, ordinal: nil, reason: "lost the HTTP/2-session"))
        let text = try JSONCodec().encode(request)
        #expect(OperatorInput(Array((text + "\n").utf8)) == .request(request))
        try await journal.close()
    }
}
