/// Which part of a walk has which lines of the screen.
struct WalkLayout: Hashable, Sendable {
    let size: ScreenSize
    let showsEffects: Bool

    /// From so many columns on the steps and the state stand beside each other, else one below the other.
    private static let wide = 60

    var isWide: Bool { size.columns >= WalkLayout.wide }

    /// Between the title and the last line.
    var body: Int { max(0, size.rows - 2) }

    /// With their heading.
    var effectsRows: Int {
        guard showsEffects, body >= 8 else { return 0 }
        return body >= 16 ? 1 + max(3, body / 6) : 2
    }

    private var upper: Int { body - effectsRows }

    /// A heading takes a line from what it names: there must be lines left.
    var hasListHeading: Bool { isWide && upper >= 4 }
    var hasPaneHeading: Bool { isWide ? hasListHeading : upper - listRows >= 4 }

    var listRows: Int {
        isWide ? upper - (hasListHeading ? 1 : 0) : upper < 3 ? upper : max(1, upper * 2 / 5)
    }

    var paneRows: Int {
        isWide ? listRows : upper - listRows - (hasPaneHeading ? 1 : 0)
    }

    var listWidth: Int { isWide ? min(72, size.columns * 9 / 20) : size.columns }

    /// Beside the list a line and a blank part them.
    var paneWidth: Int { isWide ? size.columns - listWidth - 2 : size.columns }
}
