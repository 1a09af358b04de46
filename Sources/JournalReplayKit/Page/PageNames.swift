import JournalStore

/// The distinct names in a column, each with a number. A journal can hold any number of names, so that those after the
/// first few thousand share number 0, which stands for no name.
struct PageNames: Sendable {
    private static let most = 4_096
    private static let longest = 120

    private(set) var names = [""]
    private(set) var counts = [0]
    private var numbers: [ByteName: Int] = [:]

    mutating func number(of name: String?) -> Int {
        let number = known(name)
        counts[number] += 1
        return number
    }

    private mutating func known(_ name: String?) -> Int {
        guard let name, !name.isEmpty else { return 0 }
        let short = String(name.prefix(PageNames.longest))
        if let number = numbers[ByteName(short)] { return number }
        guard names.count < PageNames.most else { return 0 }
        numbers[ByteName(short)] = names.count
        names.append(short)
        counts.append(0)
        return names.count - 1
    }
}
