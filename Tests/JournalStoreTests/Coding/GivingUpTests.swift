import Testing

@testable import JournalStore

@Suite struct `Encoding, after the encoder has given up` {
    private static let (a, b) = (AnyKey(stringValue: "a"), AnyKey(stringValue: "b"))

    /// Code that makes the encoder give up, and the list that it goes on with.
    static let lists: [(what: String, list: @Sendable (any Encoder) throws -> any UnkeyedEncodingContainer)] = [
        (
            "the coding path was read",
            { encoder in
                _ = encoder.codingPath
                return encoder.unkeyedContainer()
            }
        ),
        (
            "the coding path was read after two elements",
            { encoder in
                var list = encoder.unkeyedContainer()
                try list.encode(1)
                try list.encode(2)
                _ = list.codingPath
                return list
            }
        ),
        (
            "the same, and the list was requested again",
            { encoder in
                var first = encoder.unkeyedContainer()
                try first.encode(1)
                _ = encoder.codingPath
                var second = encoder.unkeyedContainer()
                try second.encode(2)
                return first
            }
        ),
        (
            "a list in a list",
            { encoder in
                _ = encoder.codingPath
                var list = encoder.unkeyedContainer()
                try list.encode(1)
                return list.nestedUnkeyedContainer()
            }
        ),
        (
            "the same key twice",
            { encoder in
                var container = encoder.container(keyedBy: AnyKey.self)
                var object = container.nestedContainer(keyedBy: AnyKey.self, forKey: a)
                try object.encode(1, forKey: a)
                try object.encode(2, forKey: a)
                return container.nestedUnkeyedContainer(forKey: b)
            }
        ),
        (
            "superEncoder of an object",
            { encoder in
                var container = encoder.container(keyedBy: AnyKey.self)
                try 5.encode(to: container.superEncoder(forKey: a))
                return container.nestedUnkeyedContainer(forKey: b)
            }
        ),
        (
            "superEncoder of a list",
            { encoder in
                var list = encoder.unkeyedContainer()
                try 5.encode(to: list.superEncoder())
                return list
            }
        ),
        (
            "a list in the superEncoder of an object",
            { encoder in
                var container = encoder.container(keyedBy: AnyKey.self)
                return container.superEncoder(forKey: a).unkeyedContainer()
            }
        ),
        (
            "containers in turn",
            { encoder in
                var container = encoder.container(keyedBy: AnyKey.self)
                var list = container.nestedUnkeyedContainer(forKey: a)
                _ = container.nestedUnkeyedContainer(forKey: b)
                try list.encode(0)
                return list
            }
        ),
    ]

    @Test(arguments: lists.indices) func `the elements of a list are counted on, as in Foundation`(index: Int) throws {
        let (what, makeList) = Self.lists[index]
        let runs = Box([[Int]]())
        let value = Odd { encoder in
            var list = try makeList(encoder)
            var counts = [list.count]
            for _ in 0..<3 {
                try list.encode(list.count)
                counts.append(list.count)
            }
            runs.change { $0.append(counts) }
        }
        _ = try JSONCodec().encode(value)
        // The first run is that of our encoder.
        #expect(runs.value.count == 2, "\(what)")
        #expect(runs.value.first == runs.value.last, "\(what)")
    }
}
