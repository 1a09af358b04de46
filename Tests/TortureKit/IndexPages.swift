/// Where the b-trees of a database file hold the entries of indexes.
///
/// https://www.sqlite.org/fileformat2.html#b_tree_pages
struct IndexPages {
    private let bytes: [UInt8]
    private let pageSize: Int

    /// - Parameter bytes: those of the database file, with nothing in a WAL.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        // The size of a page is in the header of the file.
        pageSize = bytes.count < 100 ? 0 : Int(bytes[16]) << 8 | Int(bytes[17])
    }

    /// The places of the bytes in use on the pages of an index: headers, cells and the pointers to them. The gap
    /// between the pointers and the cells of a page holds nothing.
    func places(under root: Int) -> [Int] {
        let page = (root - 1) * pageSize
        // The first page is no page of an index.
        guard root > 1, pageSize > 0, page + pageSize <= bytes.count else { return [] }
        let (interior, leaf): (UInt8, UInt8) = (2, 10)
        guard bytes[page] == interior || bytes[page] == leaf else { return [] }
        let pointers = page + (bytes[page] == interior ? 12 : 8)
        let count = number(at: page + 3, bytes: 2)
        let content = page + number(at: page + 5, bytes: 2)
        var places = Array(page..<pointers + 2 * count) + Array(content..<page + pageSize)
        guard bytes[page] == interior else { return places }
        let cells = (0..<count).map { page + number(at: pointers + 2 * $0, bytes: 2) }
        // Each cell begins with the number of a page, and the last page is in the header.
        for child in cells + [page + 8] { places += self.places(under: number(at: child, bytes: 4)) }
        return places
    }

    private func number(at place: Int, bytes count: Int) -> Int {
        bytes[place..<place + count].reduce(0) { $0 << 8 | Int($1) }
    }
}
