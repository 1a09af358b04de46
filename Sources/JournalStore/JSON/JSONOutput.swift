/// JSON text that grows at its end.
///
/// Plain memory instead of an array: a byte is written without asking whether the storage is shared. It is lent until more is
/// needed. Whoever makes one frees it.
struct JSONOutput {
    private(set) var base: UnsafeMutablePointer<UInt8>
    private(set) var count = 0
    private var capacity: Int
    private var isLent = true

    /// - Parameter capacity: a longer text doubles it until it fits.
    init(lending memory: UnsafeMutableRawPointer, capacity: Int) {
        base = memory.bindMemory(to: UInt8.self, capacity: capacity)
        self.capacity = capacity
    }

    func free() {
        if !isLent { base.deallocate() }
    }

    /// The text as it is now. Valid UTF-8, as nothing else is written.
    var text: String {
        String(decoding: UnsafeBufferPointer(start: base, count: count), as: UTF8.self)
    }

    /// Makes room for so many bytes at the end, to be written and added by the caller.
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

    /// Text that needs no escape.
    @inline(__always)
    mutating func append(plain text: StaticString) {
        let length = text.utf8CodeUnitCount
        reserve(length).update(from: text.utf8Start, count: length)
        count += length
    }

    /// Text of a number or of base64: no byte of it needs an escape.
    mutating func append(plain text: String) {
        var text = text
        text.withUTF8 { bytes in
            guard let start = bytes.baseAddress else { return }
            reserve(bytes.count).update(from: start, count: bytes.count)
            count += bytes.count
        }
    }
}
