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
        return FastEncoder(run: self, level: state.pointee.nextSerial())
    }

    // MARK: Counting on

    /// The number of elements of an array.
    func elements(_ place: ContainerPlace) -> Int {
        lostCounts[place.serial] ?? state.pointee.elements(place)
    }

    /// Counts an element that is not written. The value's code may encode elements until there are enough of them.
    @inline(never)
    func countLost(_ place: ContainerPlace) {
        let count = elements(place) + 1
        lostCounts[place.serial] = count
    }
}

extension EncodingState {
    /// The place of an encoder's container that is not written: the same one each time.
    func lostPlace(level serial: Int) -> ContainerPlace {
        guard level.serial == serial, level.progress == .array, level.base < frames.count else {
            return ContainerPlace(depth: -1, serial: serial)
        }
        return ContainerPlace(depth: level.base, serial: frames.base[level.base].serial)
    }

    /// The place of a nested container that is not written. Every write to it gives up.
    mutating func lostPlace() -> ContainerPlace {
        ContainerPlace(depth: -1, serial: nextSerial())
    }

    /// The number of elements of an array. Gives up if the array is already closed: then it is counted from zero.
    fileprivate mutating func elements(_ place: ContainerPlace) -> Int {
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
