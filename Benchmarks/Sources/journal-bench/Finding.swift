/// What a row came to in one run.
struct Finding: Sendable {
    /// Which of several numbers of the row this is; nil where there is only one.
    var aspect: String?
    let unit: Unit
    let library: Spread
    let floor: Spread?
    /// Library / floor, of each round.
    let ratio: Spread?
    /// The most memory that the process had, where that was looked at besides.
    var peakBytes: Int?

    /// Something that has no floor.
    init(_ unit: Unit, _ values: [Double], peakBytes: Int? = nil) {
        self.unit = unit
        library = Spread(values)
        floor = nil
        ratio = nil
        self.peakBytes = peakBytes
    }

    /// Something beside its floor.
    ///
    /// - Parameter rounds: what both came to, round by round.
    init(_ unit: Unit, aspect: String? = nil, comparing rounds: [(library: Double, floor: Double)]) {
        self.aspect = aspect
        self.unit = unit
        library = Spread(rounds.map(\.library))
        floor = Spread(rounds.map(\.floor))
        ratio = Spread(rounds.map { $0.library / $0.floor })
    }

    /// What a target is about: the ratio, where there is one.
    var judged: Spread { ratio ?? library }

    /// How the judged number and its target are written.
    func judgedText(_ value: Double) -> String {
        ratio == nil ? unit.text(value) : unit.ratioText(value)
    }
}
