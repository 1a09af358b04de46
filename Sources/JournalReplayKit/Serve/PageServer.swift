#if Serve
    import CJournalServe
    import JournalStore

    /// Receives requests with libmicrohttpd and passes them to ``PageService``.
    final class PageServer: Sendable {
        /// More connections at the same time are refused. A page needs two, and a browser opens six.
        private static let mostConnections: UInt32 = 64
        /// A connection that is silent for so many seconds is closed. Streams of events are silent for ten at most.
        private static let timeout: UInt32 = 30

        /// Finds the service: the library starts before the port is known, which the service needs.
        private let service: PageService
        private let handle: Handle

        /// Only passed to the library, which may be called from any thread.
        private struct Handle: @unchecked Sendable {
            let server: OpaquePointer
        }

        /// What the library passes to each call.
        private final class Context: Sendable {
            let service = Lock<PageService?>(nil)
        }

        private let context: Context
        private let isStopped = Lock(false)

        /// - Parameter makeService: makes the service for the port that was found.
        init(port: UInt16, _ makeService: (UInt16) -> PageService) throws(JournalError) {
            context = Context()
            var found = port
            let server = journal_serve_start(
                &found, PageServer.mostConnections, PageServer.timeout, Unmanaged.passUnretained(context).toOpaque()
            ) { context, request in
                guard let context, let request else { return }
                let known = Unmanaged<Context>.fromOpaque(context).takeUnretainedValue()
                if let service = known.service.withLock({ $0 }) { PageServer.answer(request, service) }
            }
            guard let server else {
                let code = Platform.lastError
                throw JournalError(
                    .inputOutput,
                    "The port \(port) of 127.0.0.1 cannot be listened on (\(Platform.message(forError: code))).",
                    advice: "Choose another one with --port, or leave it out.", underlying: code)
            }
            handle = Handle(server: server)
            service = makeService(found)
            context.service.withLock { [service] in $0 = service }
        }

        var rules: ServeRules { service.rules }

        deinit { stop() }

        /// Ends all connections. The library calls with the context until then.
        func stop() {
            let isFirst = isStopped.withLock { isStopped in
                defer { isStopped = true }
                return !isStopped
            }
            guard isFirst else { return }
            service.page.end()
            journal_serve_stop(handle.server)
        }

        // MARK: Requests

        private static func answer(_ request: OpaquePointer, _ service: PageService) {
            let answer = service.answer(ServeRequest(request))
            for (name, value) in answer.headers { journal_request_add(request, name, value) }
            switch answer.content {
            case .bytes(let bytes): journal_request_answer(request, answer.status, bytes, bytes.count)
            case .events(let revision):
                let stream = EventStream(service.page, after: revision)
                journal_request_stream(
                    request, answer.status, Unmanaged.passRetained(stream).toOpaque(),
                    { stream, buffer, room in
                        guard let stream, let buffer else { return -1 }
                        let events = Unmanaged<EventStream>.fromOpaque(stream).takeUnretainedValue()
                        return Int64(events.fill(UnsafeMutableRawBufferPointer(start: buffer, count: room)) ?? -1)
                    },
                    { stream in
                        if let stream { Unmanaged<EventStream>.fromOpaque(stream).release() }
                    })
            }
        }
    }

    extension ServeRequest {
        fileprivate init(_ request: OpaquePointer) {
            self.init()
            method = String(cString: journal_request_method(request))
            path = String(cString: journal_request_path(request))
            var count = 0
            let bytes = journal_request_body(request, &count)
            body = Array(UnsafeBufferPointer(start: bytes, count: count))
            withUnsafeMutablePointer(to: &self) { this in
                journal_request_headers(request, this) { context, name, value in
                    guard let context, let name, let value else { return }
                    context.assumingMemoryBound(to: ServeRequest.self).pointee
                        .headers[String(cString: name).lowercased(), default: []].append(String(cString: value))
                }
                journal_request_query(request, this) { context, name, value in
                    guard let context, let name, let value else { return }
                    context.assumingMemoryBound(to: ServeRequest.self).pointee
                        .query[String(cString: name)] = String(cString: value)
                }
            }
        }
    }
#endif
