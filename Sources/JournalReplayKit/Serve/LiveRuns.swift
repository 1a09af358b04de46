import JournalStore

/// The effects of a live page: one row for each, which changes as the effect goes on.
struct LiveRuns: Sendable {
    /// An effect: the number of its stream, its step, and its ordinal in the step.
    struct Place: Hashable, Sendable {
        var stream: Int
        var step: Int
        var ordinal: Int
    }

    private(set) var columns = RunColumns()
    private(set) var places: [Place] = []
    private var numbers: [Place: Int] = [:]
    /// The rows, one after the other.
    private var rows: [Int64] = []

    var count: Int { places.count }

    /// Adds an effect, or replaces its row.
    ///
    /// - Returns: its number.
    mutating func set(_ run: EffectRun, stream: Int) -> Int {
        let place = Place(stream: stream, step: run.step, ordinal: run.ordinal)
        let width = RunColumns.width
        guard let number = numbers[place] else {
            numbers[place] = places.count
            places.append(place)
            rows += columns.row(of: run, stream: stream)
            return places.count - 1
        }
        // Its name is counted already.
        let name = rows[number * width + RunColumns.nameColumn]
        rows.replaceSubrange(
            number * width..<(number + 1) * width, with: columns.row(of: run, stream: stream, name: name))
        return number
    }

    /// The columns of some effects.
    func encoded(_ numbers: some Sequence<Int>) -> [UInt8] {
        let width = RunColumns.width
        var columns = PageColumns(width)
        for number in numbers { columns.append(Array(rows[number * width..<(number + 1) * width])) }
        return columns.take()
    }
}
