/// The oldest of the newest steps of each stream, over a number of steps of all streams together.
struct NewestSteps {
    private let most: Int
    private var ring: [(stream: Int, step: Int)] = []
    private var next = 0

    init(_ most: Int) {
        self.most = most
    }

    mutating func add(_ step: Int, of stream: Int) {
        guard most > 0 else { return }
        if ring.count < most {
            ring.append((stream, step))
        } else {
            ring[next] = (stream, step)
            next = (next + 1) % most
        }
    }

    var oldest: [Int: Int] {
        ring.reduce(into: [:]) { $0[$1.stream] = min($0[$1.stream] ?? .max, $1.step) }
    }
}
