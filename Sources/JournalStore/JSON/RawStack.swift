/// A stack of plain values, in memory of its own or, until it needs more, in some that it was lent. Whoever makes one frees it.
struct RawStack<Element: BitwiseCopyable> {
    private(set) var base: UnsafeMutablePointer<Element>
    private(set) var count = 0
    private var capacity: Int
    private var isLent: Bool

    init(capacity: Int) {
        base = .allocate(capacity: capacity)
        self.capacity = capacity
        isLent = false
    }

    init(lending memory: UnsafeMutableRawPointer, capacity: Int) {
        base = memory.bindMemory(to: Element.self, capacity: capacity)
        self.capacity = capacity
        isLent = true
    }

    func free() {
        if !isLent { base.deallocate() }
    }

    @inline(__always)
    mutating func append(_ element: Element) {
        if count == capacity { grow() }
        (base + count).initialize(to: element)
        count += 1
    }

    @inline(never)
    private mutating func grow() {
        capacity *= 2
        let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity)
        larger.initialize(from: base, count: count)
        free()
        base = larger
        isLent = false
    }

    /// Forgets what lies above.
    @inline(__always)
    mutating func cut(to count: Int) {
        self.count = count
    }
}
