/// The division of the screen between the parts of a walk.
struct WalkLayout: Hashable, Sendable {
    let size: ScreenSize
    let showsEffects: Bool

    /// The number of columns from which the pane is beside the steps; on a narrower screen it is below them.
    private static let wide = 60

    var isWide: Bool { size.columns >= WalkLayout.wide }

    /// The number of lines between the title and the last line.
    var body: Int { max(0, size.rows - 2) }

    /// The number of lines for the effects, with their heading.
    var effectsRows: Int {
        guard showsEffects, body >= 8 else { return 0 }
        return body >= 16 ? 1 + max(3, body / 6) : 2
    }

    private var upper: Int { body - effectsRows }

    /// A heading takes a line from its part, so it is only shown if enough lines remain.
    var hasListHeading: Bool { isWide && upper >= 4 }
    var hasPaneHeading: Bool { isWide ? hasListHeading : upper - listRows >= 4 }

    var listRows: Int {
        isWide ? upper - (hasListHeading ? 1 : 0) : upper < 3 ? upper : max(1, upper * 2 / 5)
    }

    var paneRows: Int {
        isWide ? listRows : upper - listRows - (hasPaneHeading ? 1 : 0)
    }

    var listWidth: Int { isWide ? min(72, size.columns * 9 / 20) : size.columns }

    /// Beside the list, a line and a space separate the two.
    var paneWidth: Int { isWide ? size.columns - listWidth - 2 : size.columns }
}
