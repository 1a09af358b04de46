/// The size of a terminal.
struct ScreenSize: Hashable, Sendable {
    var columns: Int
    var rows: Int
}
