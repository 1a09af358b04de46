/// The result of a row in one run.
struct Finding: Sendable {
    /// Which of several numbers of the row this is; nil if there is only one.
    var aspect: String?
    let unit: Unit
    let library: Spread
    let floor: Spread?
    /// The ratios library / floor of the rounds.
    let ratio: Spread?
    /// The peak memory of the process, if it was measured too.
    var peakBytes: Int?

    /// A result without a floor.
    init(_ unit: Unit, _ values: [Double], peakBytes: Int? = nil) {
        self.unit = unit
        library = Spread(values)
        floor = nil
        ratio = nil
        self.peakBytes = peakBytes
    }

    /// A result compared with its floor.
    ///
    /// - Parameter rounds: the results of both, round by round.
    init(_ unit: Unit, aspect: String? = nil, comparing rounds: [(library: Double, floor: Double)]) {
        self.aspect = aspect
        self.unit = unit
        library = Spread(rounds.map(\.library))
        floor = Spread(rounds.map(\.floor))
        ratio = Spread(rounds.map { $0.library / $0.floor })
    }

    /// The numbers that are compared with the target: the ratios, if there is a floor.
    var judged: Spread { ratio ?? library }

    /// The text of a judged number or of its target.
    func judgedText(_ value: Double) -> String {
        ratio == nil ? unit.text(value) : unit.ratioText(value)
    }
}
