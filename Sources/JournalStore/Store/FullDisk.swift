/// What waits until the journal takes it: the disk is full, or another program has changed the file.
struct FullDisk<Event> {
    var events: [Event] = []
    /// When it is tried again; nil if nothing waits.
    var retryAt: Duration?
}
