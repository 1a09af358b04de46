extension FastEncoding {
    /// Where the value is now, for code that asks: its keys by their text only. What it does with it may depend on the
    /// keys themselves, so the run does not count.
    var path: [any CodingKey] {
        state.pointee.giveUp()
        return (0..<state.pointee.frames.count).map { depth in state.pointee.pathKey(depth) }
    }

    /// An encoder into which nothing goes: what is written through a `superEncoder` takes its place when that is freed.
    func encoderThatGivesUp() -> any Encoder {
        state.pointee.giveUp()
        return FastEncoder(run: self, level: -1)
    }
}

extension EncodingState {
    /// How many elements an array has. Of one that is closed nobody knows.
    mutating func elements(_ place: ContainerPlace) -> Int {
        guard place.depth >= 0, place.depth < frames.count, frames.base[place.depth].serial == place.serial else {
            giveUp()
            return 0
        }
        return frames.base[place.depth].count
    }

    /// The key or the index of what is written now in an open container.
    fileprivate func pathKey(_ depth: Int) -> PathKey {
        let frame = frames.base[depth]
        guard frame.isObject else { return PathKey(index: max(0, frame.count - 1)) }
        let end = depth + 1 < frames.count ? frames.base[depth + 1].firstMember : members.count
        guard end > frame.firstMember else { return PathKey(stringValue: "") }
        let member = members.base[end - 1]
        let bytes = UnsafeBufferPointer(start: output.base + member.start + 1, count: member.keyLength)
        return PathKey(stringValue: String(decoding: bytes, as: UTF8.self))
    }
}
