/// What waits for room on a full disk.
struct FullDisk<Event> {
    var events: [Event] = []
    /// When it is tried again; nil if the disk is not full.
    var retryAt: Duration?
}
