/// What the transactions of an open stream keep in its row. The writer holds it, to notice a row that another
/// connection has changed since the opening: an update computes the digest of the whole row anew.
final class KeptColumns: Sendable {
    let name: String
    let machine: String
    let created: Timestamp
    let seed: [UInt8]
    let prunedStep: Int
    let crashLoop: String?

    init(_ stream: StreamInfo) {
        (name, machine, created, seed) = (stream.name, stream.machine, stream.created, stream.seed)
        (prunedStep, crashLoop) = (stream.prunedStep, stream.crashLoop)
    }

    private init(_ columns: KeptColumns, crashLoop: String?) {
        (name, machine, created, seed) = (columns.name, columns.machine, columns.created, columns.seed)
        (prunedStep, self.crashLoop) = (columns.prunedStep, crashLoop)
    }

    func with(crashLoop: String?) -> KeptColumns { KeptColumns(self, crashLoop: crashLoop) }
}
