extension FastEncoding {
    /// The current coding path, for code that reads it. Its keys have only their texts, and that code may depend on the
    /// keys themselves, so the run gives up.
    var path: [any CodingKey] {
        state.pointee.giveUp()
        return (0..<state.pointee.frames.count).map { depth in state.pointee.pathKey(depth) }
    }

    /// An encoder that writes nothing: the text of a `superEncoder` is only inserted when that is deallocated.
    func encoderThatGivesUp() -> any Encoder {
        state.pointee.giveUp()
        return FastEncoder(run: self, level: -1)
    }
}

extension EncodingState {
    /// The number of elements of an array. Gives up if the array is already closed.
    mutating func elements(_ place: ContainerPlace) -> Int {
        guard place.depth >= 0, place.depth < frames.count, frames.base[place.depth].serial == place.serial else {
            giveUp()
            return 0
        }
        return frames.base[place.depth].count
    }

    /// The key or index of the value that is being written in an open container.
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
