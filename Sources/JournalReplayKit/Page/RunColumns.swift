import JournalStore

/// The numbers of a page's effects. The texts are made by ``RunTexts``.
struct RunColumns: Sendable {
    static let width = 14
    static let nameColumn = 3

    private(set) var names = PageNames()

    /// The columns of one effect.
    ///
    /// - Parameter name: the number of its name, if it is known already.
    mutating func row(of run: EffectRun, stream: Int, name: Int64? = nil) -> [Int64] {
        var columns = [
            Int64(stream), Int64(run.step), Int64(run.ordinal), name ?? Int64(names.number(of: run.name)),
            Int64(EffectRun.Status.allCases.firstIndex(of: run.status) ?? 0), Int64(run.attempts),
            Int64(run.failures), Int64(run.delivered),
        ]
        for time in [run.notBefore, run.started, run.ended] {
            // The first number says whether there is a time.
            columns += time.map { [1, $0.microseconds] } ?? [0, 0]
        }
        return columns
    }
}
