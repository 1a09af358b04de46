/// What `serve` serves, and how.
struct ServeOptions: Sendable {
    /// 0 for a free one.
    var port: UInt16 = 0
    var allowsChanges = false
    var page = PageOptions()
}
