/// The state of the encoder: the text written so far, and the open containers.
///
/// The text is written while the containers are used, so they must be used from the outside in: writing into a
/// container closes those that were opened in it. Any other order gives up.
struct EncodingState {
    /// A container whose end is not written yet.
    struct Frame {
        /// Distinguishes it from an earlier container at the same depth.
        let serial: Int
        let isObject: Bool
        /// The index of its first member in `members`.
        let firstMember: Int
        /// The number of elements of an array.
        var count = 0
        var keys = KeyTraits()
    }

    /// What the running `encode(to:)` has written so far.
    enum Progress { case nothing, single, object, array }

    /// One running `encode(to:)`.
    struct Level {
        let serial: Int
        /// The number of containers that were open when it began.
        let base: Int
        var progress = Progress.nothing
    }

    var output: JSONOutput
    var frames: RawStack<Frame>
    var members: RawStack<Member>
    var level = Level(serial: 0, base: 0)
    private(set) var hasGivenUp = false
    private var serials = 0

    /// Foundation refuses 512; values near that depth are left to it.
    private static let deepest = 500

    // Enough for most actions.
    private static let outputCapacity = 512
    private static let framesCapacity = 8
    private static let membersCapacity = 24
    private static let framesSize = MemoryLayout<Frame>.stride * framesCapacity
    private static let membersSize = MemoryLayout<Member>.stride * membersCapacity

    /// The size of the borrowed memory.
    static let memory = framesSize + membersSize + outputCapacity

    /// - Parameter memory: `EncodingState.memory` bytes, aligned like a word.
    init(lending memory: UnsafeMutableRawPointer) {
        frames = RawStack(lending: memory, capacity: Self.framesCapacity)
        members = RawStack(lending: memory + Self.framesSize, capacity: Self.membersCapacity)
        output = JSONOutput(lending: memory + Self.framesSize + Self.membersSize, capacity: Self.outputCapacity)
    }

    func free() {
        output.free()
        frames.free()
        members.free()
    }

    /// Discards the text. Encoding goes on without effect and without errors, which the value may not expect.
    mutating func giveUp() {
        hasGivenUp = true
    }

    // MARK: Levels

    /// - Returns: the enclosing level, to pass to `endLevel`.
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

    /// The serial of the level's container, which is created if needed; nil if the level has written something else.
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

    /// Closes what was opened inside a container that is about to be written to.
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

    mutating func closeInnermost() { close() }

    private mutating func close() {
        let frame = frames.base[frames.count - 1]
        frames.cut(to: frames.count - 1)
        guard frame.isObject else { return output.append(UInt8(ascii: "]")) }
        if !frame.keys.isPlain && !order(frame) { giveUp() }
        members.cut(to: frame.firstMember)
        output.append(UInt8(ascii: "}"))
    }

    @inline(__always)
    mutating func nextSerial() -> Int {
        serials += 1
        return serials
    }
}

/// Where a container was opened; with a negative depth, one that is not written.
struct ContainerPlace {
    let depth: Int
    let serial: Int
}
