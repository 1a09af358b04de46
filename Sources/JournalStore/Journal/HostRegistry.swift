/// The hosts of a journal by machine, so that a message to a stream that is not open opens it, and so that they end
/// with the journal.
final class HostRegistry: Sendable {
    /// The place of a host.
    struct Registration: Hashable, Sendable {
        fileprivate let machine: ByteName
        fileprivate let number: Int
    }

    /// What the journal calls on a host.
    struct Calls: Sendable {
        /// A message was appended to a stream that is not open.
        let messageArrived: @Sendable (_ stream: String) -> Void
        /// A store of one of its streams has ended, but not by the host; or an act has made it possible to open the stream.
        let mustReopen: @Sendable (_ stream: String) -> Void
        /// The host takes no calls any more. Must not wait. Returns whether it still waits for calls and bodies.
        let beginClosing: @Sendable () -> Bool
        /// Returns once the host, which is being closed, waits for no more calls and bodies.
        let waitForDrain: @Sendable () async -> Void
        /// - Returns: why the last records of its streams could not be written.
        let close: @Sendable () async -> [JournalError]
        let intervene: Intervening
        let cancel: Cancelling
    }

    /// Carries out an act on an effect of a stream, which is opened if it is not open.
    ///
    /// Returns the error if the stream cannot be opened because of what it stores: then nothing was done.
    typealias Intervening =
        @Sendable (_ stream: String, Intervention.Act, RunKey, Intervention.Remarks) async throws(JournalError)
        -> JournalError?

    /// Cancels all effects that a step of a stream led to. The stream is opened if it is not open.
    typealias Cancelling = @Sendable (_ stream: String, _ root: Int) async throws(JournalError) -> Void

    private struct Registered: Sendable {
        var number: Int
        /// nil while the host is being made.
        var calls: Calls?
    }

    private struct Hosts: Sendable {
        var byMachine: [ByteName: Registered] = [:]
        var count = 0
        /// The machines whose hosts are being closed.
        var closing: Set<ByteName> = []
        var isClosed = false
    }

    private let hosts = Lock(Hosts())

    /// Reserves the place of a machine's host.
    ///
    /// - Throws: ``JournalError`` if the machine has a host already, or the journal was closed.
    func reserve(_ machine: String, in file: String?) throws(JournalError) -> Registration {
        let name = ByteName(machine)
        return try hosts.withLock { hosts throws(JournalError) in
            guard !hosts.isClosed else { throw .closed(file) }
            guard hosts.byMachine[name] == nil else {
                throw JournalError(
                    .hostOpen, "The machine '\(machine)' has a host already.", advice: "Share it, or close it first.",
                    file: file)
            }
            hosts.count += 1
            hosts.byMachine[name] = Registered(number: hosts.count)
            return Registration(machine: name, number: hosts.count)
        }
    }

    /// - Throws: ``JournalError`` if the journal was closed meanwhile: nothing would close the host.
    func fill(_ place: Registration, _ calls: Calls, in file: String?) throws(JournalError) {
        try hosts.withLock { hosts throws(JournalError) in
            guard !hosts.isClosed else { throw .closed(file) }
            hosts.byMachine[place.machine]?.calls = calls
        }
    }

    func remove(_ place: Registration) {
        hosts.withLock { hosts in
            guard hosts.byMachine[place.machine]?.number == place.number else { return }
            hosts.byMachine[place.machine] = nil
            hosts.closing.remove(place.machine)
        }
    }

    /// A message was appended to a stream of a machine that is not open.
    ///
    /// - Returns: whether the machine has a host, which opens the stream.
    func messageArrived(for machine: String, in stream: String) -> Bool {
        let name = ByteName(machine)
        let (calls, isClosing) = hosts.withLock { ($0.byMachine[name]?.calls, $0.closing.contains(name)) }
        guard let calls else { return false }
        calls.messageArrived(stream)
        // It opens nothing any more.
        return !isClosing
    }

    /// A store of a machine has ended with an error, or a caller has closed it, or released it with something left to
    /// do: if there is a host, it opens the stream again.
    func mustReopen(_ stream: String, of machine: String) {
        hosts.withLock { $0.byMachine[ByteName(machine)]?.calls }?.mustReopen(stream)
    }

    /// Whether a machine has a host, which alone opens its streams.
    func hasHost(_ machine: String) -> Bool { hosts.withLock { $0.byMachine[ByteName(machine)] != nil } }

    /// Whether the journal is being closed, or was.
    var isClosed: Bool { hosts.withLock { $0.isClosed } }

    /// A host takes no calls any more.
    func noteClosing(_ place: Registration) {
        hosts.withLock { hosts in
            if hosts.byMachine[place.machine]?.number == place.number { hosts.closing.insert(place.machine) }
        }
    }

    /// Whether a host is being closed, or the journal is, or was. Usually others follow, because the process ends.
    var areClosing: Bool { hosts.withLock { $0.isClosed || !$0.closing.isEmpty } }

    /// How to act on the streams of a machine; nil if it has no host.
    func intervening(for machine: String) -> Intervening? {
        hosts.withLock { $0.byMachine[ByteName(machine)]?.calls }?.intervene
    }

    /// How to cancel what a step of a machine's stream led to; nil if the machine has no host.
    func cancelling(for machine: String) -> Cancelling? {
        hosts.withLock { $0.byMachine[ByteName(machine)]?.calls }?.cancel
    }

    /// All hosts refuse calls from now on. The journal gets no others.
    ///
    /// - Returns: the machines whose hosts still wait for calls and bodies.
    func beginClosing() -> Set<ByteName> {
        let open = hosts.withLock { hosts in
            hosts.isClosed = true
            return hosts.byMachine
        }
        return Set(open.filter { $0.value.calls?.beginClosing() ?? false }.keys)
    }

    /// Waits until hosts that are being closed wait for no more calls and bodies.
    func waitForDrains(of machines: Set<ByteName>) async {
        for host in hosts.withLock({ hosts in machines.compactMap { hosts.byMachine[$0] } }) {
            await host.calls?.waitForDrain()
        }
    }

    /// Closes all hosts.
    ///
    /// - Returns: why the last records of their streams could not be written.
    func closeAll() async -> [JournalError] {
        let open = hosts.withLock { Array($0.byMachine.values) }
        var failures: [JournalError] = []
        for host in open { failures += await host.calls?.close() ?? [] }
        return failures
    }
}
