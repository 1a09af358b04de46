/// A stack of plain values, in its own memory or in borrowed memory until it needs more. The owner must `free()` it.
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

    /// Removes the elements from `count` on.
    @inline(__always)
    mutating func cut(to count: Int) {
        self.count = count
    }
}
