/// A journal that is open for writing: one file with the entries and records of any number of state machines.
///
/// Opening acquires the one-writer lock. It is released by ``close()``, with the last reference, or when the process
/// ends or crashes. A store or host that was released refers to the journal until its state is saved: to open the file
/// again at once, call ``close()``. All members can be used from any thread or task.
///
/// ```swift
/// let journal = try Journal(path: "shop.db")
/// let store = try await journal.open(cart, stream: "cart-42", environment: shop)
/// try await store.dispatch(.pay)
/// try await journal.close()
/// ```
public final class Journal: Sendable {
    let writer: JournalWriter
    /// How a journal is opened.
    public typealias Options = JournalOptions

    package let options: Options
    let stores = Lock(StoreTable())
    /// Answers operators, if the options permit it.
    let operators = Lock<OperatorListener?>(nil)
    /// Routes the messages between machines.
    let router: MessageRouter
    let hosts = HostRegistry()
    /// How messages to machines of this process are decoded.
    let messageDecoders = MessageDecoders()
    /// Which stores watch effects that may crash the process.
    let crashLoopTurns = Lock(CrashLoopTurns())
    /// How many calls of ``close()`` are closing stores.
    private let closings = Watched(0)

    /// Reads the journal, also while it is written.
    public let reader: JournalReader

    /// The file, as an absolute path without links; nil for a journal in memory.
    public var file: String? { writer.file }

    /// Opens a journal for writing, and creates it if there is none.
    ///
    /// - Throws: ``JournalError`` if the path cannot be used, the file is not a journal or has a newer schema, another
    ///   process writes it, or acknowledged entries are missing. The file is not changed then.
    public convenience init(path: String) throws(JournalError) {
        try self.init(path: path, options: Options())
    }

    /// Opens a journal for writing with options, and creates it if there is none.
    ///
    /// - Throws: ``JournalError`` as ``init(path:)``.
    public convenience init(path: String, options: Options) throws(JournalError) {
        self.init(try Opening(options: options).file(path), options)
    }

    private init(_ opened: sending Opening.Opened, _ options: Options) {
        self.options = options
        writer = JournalWriter(opened, options: options)
        reader = JournalReader(file: writer.file, vfs: options.vfs, arrivals: writer.arrivals, connection: writer)
        router = MessageRouter(writer, hosts, messageDecoders, WaitingMessages(options, reader))
        listenForOperators()
    }

    /// A journal in memory that ends with the process: for tests and previews. Otherwise it behaves like one in a file,
    /// but its reader cannot copy, fork or export it (the journal itself can copy it), no operator reaches it, and after
    /// ``close()`` it can no longer be read.
    ///
    /// - Throws: ``JournalError`` if memory cannot be allocated.
    public static func inMemory(options: Options = Options()) throws(JournalError) -> Journal {
        Journal(try Opening(options: options).inMemory(), options)
    }

    deinit {
        operators.withLock { $0 }?.stop()
        writer.arrivals.end()
    }

    /// Opens a stream as a log: for entries that no machine reduces, such as those of an audit. Creates it if there is
    /// none. To open a machine on a stream, call `open`; while a store has the stream, this throws.
    ///
    /// - Parameters:
    ///   - name: the stream's name.
    ///   - machine: the name of its machine, which never changes.
    /// - Throws: ``JournalError`` if the stream is open already, belongs to another machine, or to one that has a host; or if
    ///   there is none, and one of the names is empty or has the character U+0000.
    @concurrent public func openStream(_ name: String, machine: String) async throws(JournalError) -> JournalStream {
        if hosts.hasHost(machine) { throw ErrorLocation(file: file, stream: name).hosted(machine) }
        await waitForRelease(of: name)
        return try await openAny(name, machine: machine, isLog: true)
    }

    private func openedStream(
        _ name: String, machine: String, isLog: Bool
    ) async throws(JournalError) -> StreamOpening.Opened {
        do throws(JournalError) { return try await writer.openStream(name, machine: machine, isLog: isLog) } catch {
            let isLeaving = stores.withLock { $0.isLeaving(name) }
            guard error.code == .streamOpen, isInMiddleware, isLeaving else { throw error }
            throw ErrorLocation(file: file, stream: name).mustNotWait()
        }
    }

    /// Opens a stream for a store, or as a log.
    func openAny(
        _ name: String, machine: String, isLog: Bool = false
    ) async throws(JournalError) -> JournalStream {
        let (opened, watermark, firstArrived) = try await openedStream(name, machine: machine, isLog: isLog)
        do throws(JournalError) {
            let newest = try reader.newestMark(of: opened.value)
            return JournalStream(
                journal: self, opened: opened, watermark: watermark, firstArrived: firstArrived, newestSnapshot: newest,
                isLog: isLog)
        } catch {
            // The next call must get this error as well, and not that the stream is open.
            if let firstArrived { keepArrivals(in: opened.value.id, from: firstArrived) }
            try? await writer.closeStream(opened.value.id)
            throw error
        }
    }

    /// Messages from a step on, which an opening that failed has not reduced, are new for the next opening.
    func keepArrivals(in stream: StreamID, from step: Int) {
        writer.later { state in state.arrived[stream] = min(step, state.arrived[stream] ?? step) }
    }

    // MARK: Stores that open and close

    /// Whether this is called by middleware of one of its stores.
    var isInMiddleware: Bool { MiddlewareCall.isOfStore(in: ObjectIdentifier(self)) }

    func beginRelease(of stream: String) { stores.withLock { $0.beginRelease(of: stream) } }

    func finishedRelease(of stream: String) {
        for waiter in stores.withLock({ $0.endRelease(of: stream) }) { waiter() }
    }

    /// Waits until no released store has the stream any more.
    func waitForRelease(of stream: String) async {
        await wait { $0.wait(for: stream, opening: false, $1) }
    }

    /// Waits until no store is opening or closing the stream.
    ///
    /// - Returns: false if one still is, and the caller must not wait for it.
    func waitForChange(of stream: String) async -> Bool {
        await wait { $0.wait(for: stream, opening: true, $1) }
        return !isInMiddleware || !isChanging(stream)
    }

    func isChanging(_ stream: String) -> Bool { stores.withLock { $0.isChanging(stream) } }

    /// Waits, also in a cancelled task.
    ///
    /// - Parameter join: joins those that wait; returns false if there is nothing to wait for.
    private func wait(_ join: (inout StoreTable, @escaping StoreTable.Waiter) -> Bool) async {
        // The end of a store waits for the calls of its middleware: one that waited here would wait for itself.
        if isInMiddleware { return }
        var mustWait = true
        // Another change can begin before this is called back.
        while mustWait {
            mustWait = await withUnsafeContinuation { continuation in
                let waits = stores.withLock { join(&$0) { continuation.resume(returning: true) } }
                if !waits { continuation.resume(returning: false) }
            }
        }
    }

    /// Waits for other calls that close the journal.
    private func waitForOtherClosings() async {
        // Middleware that closes its journal is waited for by such a call.
        if isInMiddleware { return }
        // In a task of its own: a cancelled task does not wait.
        await options.spawn { [closings] in
            _ = await closings.wait { $0 == 0 ? true : nil }
        }.value
    }

    /// Commits a batch. Returns once it is committed with the durability of the options.
    package func commit(_ batch: Batch) async throws(JournalError) -> [Appended] {
        try await writer.commit(batch)
    }

    /// Submits a batch and returns. Calls `completion` on the thread that commits, in commit order; it must not block.
    package func submit(_ batch: Batch, completion: @escaping @Sendable (Result<[Appended], JournalError>) -> Void) {
        writer.submit(Submission(batch, completion))
    }

    /// How many stores are closed at a time, so that their snapshots share transactions.
    static var closedTogether: Int { 256 }

    /// Commits what was submitted before, copies the WAL into the database, and releases the lock. Hosts and open
    /// stores are closed first, and the snapshots of released ones are stored; running effects stay recorded as
    /// running. Afterwards every call that would write throws ``JournalError/Code/closed``. A second call only waits
    /// until the first has closed the stores. Operators whose requests are being carried out get their answers first, if
    /// these come within a second. In middleware, a call returns at once if another one is closing the journal, and does not
    /// wait for stores that were released.
    ///
    /// - Throws: ``JournalError`` if the disk fails, or failed before; if the file, its WAL, -shm or -lock was moved or
    ///   deleted; or, when the journal is closed, if the last records of a store could not be written.
    @concurrent public func close() async throws(JournalError) {
        let mayClose = closings.change { count in
            // The other call waits for this middleware, and ends the writer when it has returned.
            if isInMiddleware, count > 0 { return false }
            count += 1
            return true
        }
        guard mayClose else { return }
        // Kept meanwhile, so that a second call waits as well.
        if let listener = operators.withLock({ $0 }) {
            await listener.finish()
            operators.withLock { $0 = nil }
        }
        let draining = hosts.beginClosing()
        // The bodies that a host still waits for can wait for other stores. Middleware must not wait: the host can wait for
        // its stream.
        if !isInMiddleware { await hosts.waitForDrains(of: draining) }
        let begun = await beginClosingStores(except: draining)
        let hosted = await hosts.closeAll()
        let left = stores.withLock { $0.close() }.compactMap(\.store)
        let known = Set(begun.map { ObjectIdentifier($0) })
        // Those of hosts are closed.
        let open = begun.filter(\.hasStream) + left.filter { !known.contains(ObjectIdentifier($0)) }
        let failures = await concurrently(open, atMost: Self.closedTogether) { await $0.closeWithJournal() }
        closings.change { $0 -= 1 }
        if isInMiddleware, stores.withLock({ $0.hasReleases }) {
            // A released store can wait for this middleware.
            _ = options.spawn { [self] in
                // The call has returned.
                do throws(JournalError) { try await end() } catch { options.notify(.middlewareFailed, error) }
            }
        } else {
            try await end()
        }
        if let failure = hosted.first ?? failures.lazy.compactMap(\.self).first { throw failure }
    }

    /// Cuts off all bodies. Then refuses calls: middleware of one store can wait for a call to another one, which must be
    /// refused before its own store is waited for.
    ///
    /// - Parameter draining: machines whose hosts do that themselves.
    /// - Returns: the stores that have begun to close.
    private func beginClosingStores(except draining: Set<ByteName>) async -> [any OpenStore] {
        let open = stores.withLock { $0.open }
        let ending = open.filter { !draining.contains(ByteName($0.machine)) }
        await Self.stopBodies(of: ending)
        guard open.contains(where: \.hasMiddleware) else { return [] }
        for store in ending { store.beginClosing() }
        return ending
    }

    /// Cuts off the bodies of stores that are about to be closed: one that waits for another store must not go on because
    /// that one has ended.
    static func stopBodies(of stores: [any OpenStore]) async {
        let busy = stores.filter(\.hasStartedBodies)
        _ = await concurrently(busy, atMost: closedTogether) { await $0.stopBodies() }
    }

    /// Ends the writer, when nothing is left to be written.
    private func end() async throws(JournalError) {
        await waitForOtherClosings()
        // Released stores save their states.
        await wait { $0.waitForReleases($1) }
        writer.arrivals.end()
        reader.release()
        try await writer.exclusively { state throws(JournalError) in try state.close() }
    }
}
