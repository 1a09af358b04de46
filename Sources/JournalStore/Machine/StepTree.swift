/// Values by the path of the steps that enclose them, as ``StepUses/Key/inside`` makes it. To drop a path drops those
/// below it too, and costs as much as is dropped.
struct StepTree<Value> {
    private var values: [String: Value] = [:]
    /// The paths directly below a path that have values, or are above such paths.
    private var below: [String: Set<String>] = [:]

    var count: Int { values.count }

    subscript(path: String) -> Value? { values[path] }

    /// - Parameter empty: the value of a path that has none yet.
    mutating func change<Result>(
        _ path: String, default empty: @autoclosure () -> Value, _ body: (inout Value) -> Result
    ) -> Result {
        if values[path] == nil { link(path) }
        return body(&values[path, default: empty()])
    }

    private mutating func link(_ path: String) {
        var path = path
        while let parent = Self.parent(of: path), below[parent, default: []].insert(path).inserted { path = parent }
    }

    mutating func drop(_ path: String) {
        if let parent = Self.parent(of: path) {
            below[parent]?.remove(path)
            if below[parent]?.isEmpty == true { below[parent] = nil }
        }
        var dropped = [path]
        while let next = dropped.popLast() {
            values[next] = nil
            if let paths = below.removeValue(forKey: next) { dropped += paths }
        }
    }

    /// The path without its last step, which is a name and a number; nil if it has no step.
    private static func parent(of path: String) -> String? {
        let (bytes, slash) = (path.utf8, UInt8(ascii: "/"))
        guard let number = bytes.lastIndex(of: slash), let name = bytes[..<number].lastIndex(of: slash) else {
            return nil
        }
        return String(path[..<name])
    }
}
