/// JSON text that grows at its end.
///
/// Raw memory instead of an array, so that writing a byte needs no uniqueness check. The memory is borrowed until more
/// is needed. The owner must call `free()`.
struct JSONOutput {
    private(set) var base: UnsafeMutablePointer<UInt8>
    private(set) var count = 0
    private var capacity: Int
    private var isLent = true

    /// - Parameter capacity: the size of the memory; a longer text at least doubles it.
    init(lending memory: UnsafeMutableRawPointer, capacity: Int) {
        base = memory.bindMemory(to: UInt8.self, capacity: capacity)
        self.capacity = capacity
    }

    func free() {
        if !isLent { base.deallocate() }
    }

    /// The text written so far. It is valid UTF-8, because nothing else is written.
    var text: String {
        String(decoding: UnsafeBufferPointer(start: base, count: count), as: UTF8.self)
    }

    /// Makes room for `length` bytes at the end, which the caller writes and adds.
    @inline(__always)
    mutating func reserve(_ length: Int) -> UnsafeMutablePointer<UInt8> {
        if capacity - count < length { grow(by: length) }
        return base + count
    }

    @inline(__always)
    mutating func add(_ length: Int) {
        count += length
    }

    @inline(never)
    private mutating func grow(by length: Int) {
        capacity = max(capacity * 2, count + length)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        larger.update(from: base, count: count)
        free()
        base = larger
        isLent = false
    }

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        reserve(1).pointee = byte
        count += 1
    }

    /// Writes text that needs no escape.
    @inline(__always)
    mutating func append(plain text: StaticString) {
        let length = text.utf8CodeUnitCount
        reserve(length).update(from: text.utf8Start, count: length)
        count += length
    }

    /// Writes the text of a number or of base64, which needs no escape.
    mutating func append(plain text: String) {
        var text = text
        text.withUTF8 { bytes in
            guard let start = bytes.baseAddress else { return }
            reserve(bytes.count).update(from: start, count: bytes.count)
            count += bytes.count
        }
    }
}
