extension EncodingState {
    /// A member of an object that is not closed yet.
    struct Member {
        /// The offset of its opening quote in the text.
        let start: Int
        /// The number of bytes between the quotes.
        let keyLength: Int
    }

    /// What is known of an object's keys so far.
    struct KeyTraits {
        /// Each key is greater than the one before, byte by byte, so that no two are the same.
        var areSorted = true
        var text: JSONOutput.Traits = []

        /// Whether the keys need neither sorting nor checking at the object's end.
        var isPlain: Bool { areSorted && text.isEmpty }
    }

    @inline(__always)
    mutating func beginMember(_ place: ContainerPlace, _ key: String) -> Bool {
        guard reach(place) else { return false }
        let frame = frames.base + place.depth
        let isFirst = members.count == frame.pointee.firstMember
        if !isFirst { output.append(UInt8(ascii: ",")) }
        let start = output.count
        let traits = output.append(quoting: key)
        let member = Member(start: start, keyLength: output.count - start - 2)
        if !traits.isEmpty { frame.pointee.keys.text.formUnion(traits) }
        if !isFirst, frame.pointee.keys.areSorted, compare(members.base[members.count - 1], member) >= 0 {
            frame.pointee.keys.areSorted = false
        }
        members.append(member)
        output.append(UInt8(ascii: ":"))
        return true
    }

    /// Compares two keys by their bytes, as Foundation does: negative if the left one comes first.
    @inline(__always)
    func compare(_ left: Member, _ right: Member) -> Int {
        let order = Platform.compare(
            output.base + left.start + 1, output.base + right.start + 1, min(left.keyLength, right.keyLength))
        return order != 0 ? Int(order) : left.keyLength - right.keyLength
    }

    /// Sorts the members of an object that ends here by their keys.
    ///
    /// - Returns: whether the members are known to be in order and unique. Foundation keeps the last of two members
    ///   with equal keys, and strings are equal if they are canonically equivalent: "é" can be one scalar or two.
    mutating func order(_ frame: Frame) -> Bool {
        let count = members.count - frame.firstMember
        guard count > 1 else { return true }
        // Escaped bytes sort differently from the characters they stand for.
        guard !frame.keys.text.contains(.escaped) else { return false }
        if frame.keys.text.contains(.wide) {
            guard distinctKeys(frame) == count else { return false }
        }
        return frame.keys.areSorted || sort(frame, count)
    }

    private func distinctKeys(_ frame: Frame) -> Int {
        var keys = Set<String>()
        for index in frame.firstMember..<members.count {
            let member = members.base[index]
            let bytes = UnsafeBufferPointer(start: output.base + member.start + 1, count: member.keyLength)
            keys.insert(String(decoding: bytes, as: UTF8.self))
        }
        return keys.count
    }

    private mutating func sort(_ frame: Frame, _ count: Int) -> Bool {
        let found = members.base + frame.firstMember
        let body = found[0].start
        let length = output.count - body
        return withUnsafeTemporaryAllocation(of: (Member, end: Int).self, capacity: count) { room in
            var sorted = room
            for index in 0..<count {
                // A comma precedes the next member.
                let end = index + 1 < count ? found[index + 1].start - 1 : output.count
                (sorted.baseAddress.unsafelyUnwrapped + index).initialize(to: (found[index], end))
            }
            sorted.sort { compare($0.0, $1.0) < 0 }
            for index in 1..<count where compare(sorted[index - 1].0, sorted[index].0) == 0 { return false }
            withUnsafeTemporaryAllocation(of: UInt8.self, capacity: length) { text in
                guard let copy = text.baseAddress else { return }
                var place = copy
                for index in 0..<count {
                    if index > 0 {
                        place.initialize(to: UInt8(ascii: ","))
                        place += 1
                    }
                    let size = sorted[index].end - sorted[index].0.start
                    place.initialize(from: output.base + sorted[index].0.start, count: size)
                    place += size
                }
                (output.base + body).update(from: copy, count: length)
            }
            return true
        }
    }
}
