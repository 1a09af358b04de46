/// Makes a b-tree of a database file seem to have endless rows.
///
/// Pages are added whose cells all refer to the next one of them, and the last of them to what the tree had. SQLite
/// checks that a tree has at most twenty levels, and no more. https://www.sqlite.org/fileformat2.html#b_tree_pages
enum EndlessTree {
    private static let levels = 15
    private static let headerOfFile = 100
    private static let headerOfPage = 12

    /// - Parameters:
    ///   - root: the number of the tree's first page.
    ///   - bytes: those of the database file, with nothing in a WAL.
    /// - Returns: the bytes of the changed file; nil if the tree has no rows or its rows are too long.
    static func make(_ root: Int, in bytes: [UInt8]) -> [UInt8]? {
        guard root > 1, bytes.count > headerOfFile else { return nil }
        let size = Int(bytes[16]) << 8 | Int(bytes[17])
        guard size > 0, root * size <= bytes.count else { return nil }
        let old = Array(bytes[(root - 1) * size..<root * size])
        guard let cell = cell(of: old), case let count = min(40, (size - headerOfPage) / (cell.count + 6)), count > 2
        else { return nil }

        let pages = bytes.count / size
        let interiorOfIndex: UInt8 = 2
        let interiorOfTable: UInt8 = 5
        let type = old[0] == interiorOfIndex || old[0] == 10 ? interiorOfIndex : interiorOfTable
        func page(to child: Int) -> [UInt8] {
            let number = big(child, 4)
            let cells = (0..<count).map { _ in number + cell }
            let content = size - cells.joined().count
            var page: [UInt8] = [type]
            page += big(0, 2)
            page += big(count, 2)
            page += big(content, 2)
            page += [0]
            page += number
            for index in 0..<count { page += big(content + index * (4 + cell.count), 2) }
            page += [UInt8](repeating: 0, count: content - page.count)
            return page + cells.joined()
        }
        var changed = bytes
        changed.replaceSubrange((root - 1) * size..<root * size, with: page(to: pages + 1))
        for level in 2...levels { changed += page(to: pages + level) }
        changed += old
        changed.replaceSubrange(28..<32, with: big(changed.count / size, 4))
        return changed
    }

    /// What a cell of an interior page has after the number of a page: a row of an index, or a key.
    private static func cell(of page: [UInt8]) -> [UInt8]? {
        guard page[3] != 0 || page[4] != 0 else { return nil }
        let isInterior = page[0] == 2
        guard isInterior || page[0] == 10 else { return page[0] == 5 || page[0] == 13 ? [1] : nil }
        let pointer = isInterior ? 12 : 8
        var place = Int(page[pointer]) << 8 | Int(page[pointer + 1])
        if isInterior { place += 4 }
        // The length takes one byte or two.
        let first = Int(page[place])
        let length = first < 0x80 ? first + 1 : (first & 0x7F) << 7 + Int(page[place + 1]) + 2
        return length < page.count / 5 ? Array(page[place..<place + length]) : nil
    }

    private static func big(_ number: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}
