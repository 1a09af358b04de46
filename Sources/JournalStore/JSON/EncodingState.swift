/// What has been written of a value, and which containers are open: the rules of the encoder, alone.
///
/// The text is written as the containers are used, so that it must be used from the outside in: what is written into a
/// container closes those that were opened in it. Whatever does not go that way gives up.
struct EncodingState {
    /// A container of which the end is not written yet.
    struct Frame {
        /// Tells it from one that was at the same place before.
        let serial: Int
        let isObject: Bool
        /// Where its first member stands in `members`.
        let firstMember: Int
        /// The elements of an array.
        var count = 0
        var keys = KeyTraits()
    }

    /// What the `encode(to:)` that runs has done so far.
    enum Progress { case nothing, single, object, array }

    /// One `encode(to:)` that runs.
    struct Level {
        let serial: Int
        /// How many containers were open at its beginning.
        let base: Int
        var progress = Progress.nothing
    }

    var output: JSONOutput
    var frames: RawStack<Frame>
    var members: RawStack<Member>
    var level = Level(serial: 0, base: 0)
    private(set) var hasGivenUp = false
    private var serials = 0

    /// Foundation refuses 512; what comes near is left to it.
    private static let deepest = 500

    // What an action needs, as a rule.
    private static let outputCapacity = 512
    private static let framesCapacity = 8
    private static let membersCapacity = 24
    private static let framesSize = MemoryLayout<Frame>.stride * framesCapacity
    private static let membersSize = MemoryLayout<Member>.stride * membersCapacity

    /// How much memory it is lent.
    static let memory = framesSize + membersSize + outputCapacity

    /// - Parameter memory: so much, aligned as a word is.
    init(lending memory: UnsafeMutableRawPointer) {
        frames = RawStack(lending: memory, capacity: Self.framesCapacity)
        members = RawStack(lending: memory + Self.framesSize, capacity: Self.membersCapacity)
        output = JSONOutput(
            lending: memory + Self.framesSize + Self.membersSize, capacity: Self.outputCapacity)
    }

    func free() {
        output.free()
        frames.free()
        members.free()
    }

    /// Nothing that was written counts. What is still encoded goes nowhere, and is not told: it may not expect an error.
    mutating func giveUp() {
        hasGivenUp = true
    }

    // MARK: Levels

    /// - Returns: the level that goes on after this one.
    @inline(__always)
    mutating func beginLevel() -> Level {
        defer { level = Level(serial: nextSerial(), base: frames.count) }
        return level
    }

    @inline(__always)
    mutating func endLevel(_ outer: Level) {
        while frames.count > level.base { close() }
        if level.progress == .nothing { output.append(plain: "{}") }
        level = outer
    }

    /// Whether this level may write its only value.
    @inline(__always)
    mutating func claim(_ serial: Int) -> Bool {
        guard level.serial == serial, level.progress == .nothing, !hasGivenUp else {
            giveUp()
            return false
        }
        level.progress = .single
        return true
    }

    // MARK: Containers

    /// The serial of the level's container: a new one, or the one it has; nil where there is no such.
    @inline(__always)
    mutating func container(_ kind: Progress, level serial: Int) -> Int? {
        guard level.serial == serial, !hasGivenUp else {
            giveUp()
            return nil
        }
        if level.progress == .nothing {
            level.progress = kind
            return open(isObject: kind == .object)
        }
        guard level.progress == kind else {
            giveUp()
            return nil
        }
        return frames.base[level.base].serial
    }

    @inline(__always)
    mutating func open(isObject: Bool) -> Int {
        if frames.count >= Self.deepest { giveUp() }
        let serial = nextSerial()
        frames.append(Frame(serial: serial, isObject: isObject, firstMember: members.count))
        output.append(UInt8(ascii: isObject ? "{" : "["))
        return serial
    }

    /// Closes what was opened in a container that is about to be written into.
    @inline(__always)
    mutating func reach(_ place: ContainerPlace) -> Bool {
        guard place.depth >= level.base, place.depth < frames.count, !hasGivenUp,
            frames.base[place.depth].serial == place.serial
        else {
            giveUp()
            return false
        }
        while frames.count > place.depth + 1 { close() }
        return true
    }

    @inline(__always)
    mutating func beginElement(_ place: ContainerPlace) -> Bool {
        guard reach(place) else { return false }
        if frames.base[place.depth].count > 0 { output.append(UInt8(ascii: ",")) }
        frames.base[place.depth].count += 1
        return true
    }

    private mutating func close() {
        let frame = frames.base[frames.count - 1]
        frames.cut(to: frames.count - 1)
        guard frame.isObject else { return output.append(UInt8(ascii: "]")) }
        if !frame.keys.isPlain && !order(frame) { giveUp() }
        members.cut(to: frame.firstMember)
        output.append(UInt8(ascii: "}"))
    }

    @inline(__always)
    private mutating func nextSerial() -> Int {
        serials += 1
        return serials
    }
}

/// Where a container was opened.
struct ContainerPlace {
    let depth: Int
    let serial: Int
    /// Of a container that was asked for where there can be none: nothing reaches it.
    static let nowhere = ContainerPlace(depth: -1, serial: -1)
}
