/// Orders the keys of a dictionary and the members of a set: integers by value, everything else by its text.
struct SortKey: Comparable {
    var text: String
    private var number: Int?

    init(_ value: Any) {
        text = ValueDescription.key(value)
        number = Int(text)
    }

    static func < (left: SortKey, right: SortKey) -> Bool {
        switch (left.number, right.number) {
        case (let first?, let second?): (first, left.text) < (second, right.text)
        case (.some, nil): true
        case (nil, .some): false
        case (nil, nil): left.text < right.text
        }
    }
}
