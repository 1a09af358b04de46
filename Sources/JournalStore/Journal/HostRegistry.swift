/// The hosts of a journal by machine, so that a message to a stream that is not open opens it, and so that they end with the journal.
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
        let close: @Sendable () async -> Void
        let intervene: Intervening
    }

    /// Carries out an act on an effect of a stream, which is opened if it is not open.
    typealias Intervening =
        @Sendable (_ stream: String, Intervention.Act, RunKey, Intervention.Remarks) async throws(JournalError) -> Void

    private struct Registered: Sendable {
        var number: Int
        /// nil while the host is being made.
        var calls: Calls?
    }

    private let hosts = Lock<(byMachine: [ByteName: Registered], count: Int)>(([:], 0))

    /// Reserves the place of a machine's host.
    ///
    /// - Returns: nil if the machine has a host already.
    func reserve(_ machine: String) -> Registration? {
        let name = ByteName(machine)
        return hosts.withLock { hosts in
            guard hosts.byMachine[name] == nil else { return nil }
            hosts.count += 1
            hosts.byMachine[name] = Registered(number: hosts.count)
            return Registration(machine: name, number: hosts.count)
        }
    }

    func fill(_ place: Registration, _ calls: Calls) {
        hosts.withLock { $0.byMachine[place.machine]?.calls = calls }
    }

    func remove(_ place: Registration) {
        hosts.withLock { hosts in
            if hosts.byMachine[place.machine]?.number == place.number { hosts.byMachine[place.machine] = nil }
        }
    }

    /// A message was appended to a stream of a machine that is not open.
    func messageArrived(for machine: String, in stream: String) {
        hosts.withLock { $0.byMachine[ByteName(machine)]?.calls }?.messageArrived(stream)
    }

    /// How to act on the streams of a machine; nil if it has no host.
    func intervening(for machine: String) -> Intervening? {
        hosts.withLock { $0.byMachine[ByteName(machine)]?.calls }?.intervene
    }

    func closeAll() async {
        for host in hosts.withLock({ Array($0.byMachine.values) }) { await host.calls?.close() }
    }
}
