import Dispatch
import JournalStore

extension Command {
    /// `serve FILE`
    static let serve = Command(
        name: "serve",
        summary: isBuilt
            ? "Show a journal live, as a page in a browser."
            : "Show a journal live in a browser. This build lacks it.",
        discussion: """
            It shows the same page as 'page', and new steps as an app commits them. States are computed when they are \
            looked at, if the machine is known.
            Open the printed address: its token is the key to this server, which answers this computer only, and only \
            the browser that was given the token. The server ends with Ctrl-C.
            --allow-changes adds buttons that cancel, retry and release effects and skip steps, as the commands of \
            these names do. An app that holds the journal does them at once.
            """,
        positionals: [.file, .stream],
        options: [port, allowChanges, .streams, PageOptions.newest, Redaction.option, Machines.option],
        keys: keys.map(\.row),
        work: .replaying { arguments, reader, output, machines in
            let options = ServeOptions(
                port: arguments[port] ?? 0, allowsChanges: arguments[allowChanges],
                page: PageOptions(
                    streams: Set(arguments.namedStreams.map { ByteName($0) }),
                    last: arguments[PageOptions.newest] ?? PageOptions.mostSteps,
                    redaction: Redaction(arguments.all(Redaction.option)), tool: output.tool))
            for stream in options.page.streams { _ = try reader.stream(stream.name) }
            #if Serve
                // A thread of its own: no thread that tasks share may wait for signals.
                let session = try await Waiting.onThread {
                    try ServeSession(reader, options, machines, ReplayChildren(arguments: arguments))
                }
                let shown = Served(address: session.rules.address, port: session.rules.port)
                if output.isJSON {
                    try output.object(shown, keys)
                } else {
                    let changes = options.allowsChanges ? ", with changes" : ""
                    try output.line("Serving \(SafeText.escape(reader.file ?? ""))\(changes): \(shown.address)")
                    try output.note("Ctrl-C ends it.")
                }
                try output.flush()
                try await Waiting.onThread { session.run() }
                return .fine
            #else
                throw UsageError(
                    "This program was built without 'serve', which needs libmicrohttpd. Install it (on Debian: "
                        + "apt-get install libmicrohttpd-dev) and build with: swift build --traits Serve. In a "
                        + "package of your own, enable the trait in the dependency on JournalStore instead: "
                        + "traits: [\"Serve\"]")
            #endif
        })

    #if Serve
        private static let isBuilt = true
    #else
        private static let isBuilt = false
    #endif

    private struct Served: Sendable {
        var address: String
        var port: UInt16
    }

    private static let port = Option<UInt16>(
        "port", "N", help: "The port. The default is a free one.", expected: "a number from 1 to 65535"
    ) { text in Int(digits: text).flatMap { UInt16(exactly: $0) }.flatMap { $0 > 0 ? $0 : nil } }

    private static let allowChanges = Flag(
        "allow-changes", help: "Let the page cancel, retry and release effects, and skip steps.")

    private static let keys: [Key<Served>] = [
        Key("address", "the address to open, with the token") { .text($0.address) },
        Key("port", "the port") { .number(Int($0.port)) },
    ]
}
