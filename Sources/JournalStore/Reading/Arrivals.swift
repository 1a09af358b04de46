/// Wakes those who wait for new entries.
final class Arrivals: Sendable {
    private struct State {
        var position = 0
        var isOver = false
    }

    private let state = Watched(State())

    /// New entries are committed.
    func announce(_ position: Int) {
        state.change { $0.position = max($0.position, position) }
    }

    /// There will be none any more.
    func end() {
        state.change { $0.isOver = true }
    }

    /// Waits until there is an entry after a position.
    ///
    /// - Returns: false when there will never be, or the task was cancelled.
    func wait(after position: Int) async -> Bool {
        await state.wait { $0.position > position ? true : $0.isOver ? false : nil } ?? false
    }
}
