/// JSON text that grows at its end.
///
/// Raw memory instead of an array, so that writing a byte needs no uniqueness check. The memory can be borrowed until
/// more is needed. The owner must call `free()`.
package struct JSONOutput {
    private(set) var base: UnsafeMutablePointer<UInt8>
    private(set) var count = 0
    private var capacity: Int
    private var isLent: Bool

    /// - Parameter capacity: the size of the memory; a longer text at least doubles it.
    init(lending memory: UnsafeMutableRawPointer, capacity: Int) {
        base = memory.bindMemory(to: UInt8.self, capacity: capacity)
        self.capacity = capacity
        isLent = true
    }

    package init(capacity: Int) {
        base = .allocate(capacity: capacity)
        self.capacity = capacity
        isLent = false
    }

    /// The text that the closure writes.
    package static func text(_ write: (inout JSONOutput) -> Void) -> String {
        var output = JSONOutput(capacity: 256)
        defer { output.free() }
        write(&output)
        return output.text
    }

    package func free() {
        if !isLent { base.deallocate() }
    }

    package mutating func removeAll() {
        count = 0
    }

    /// The text written so far. It is valid UTF-8, because nothing else is written.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The text in memory, valid until more is written.
    package var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: base, count: count) }

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
    package mutating func append(_ byte: UInt8) {
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

    /// Writes text that needs no escape, such as that of a number or of base64, or that is already JSON.
    package mutating func append(plain text: String) {
        var text = text
        text.withUTF8 { append(plain: $0) }
    }

    mutating func append(plain bytes: UnsafeBufferPointer<UInt8>) {
        guard let start = bytes.baseAddress else { return }
        reserve(bytes.count).update(from: start, count: bytes.count)
        count += bytes.count
    }
}
