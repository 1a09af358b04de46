/// A value that can be bound to a parameter of a statement.
///
/// A list of any length costs a dynamic call for each value. The statements that run at each entry or record bind a few
/// values by index instead, which costs none.
protocol Bindable {
    func bind(to statement: Statement, _ index: Int32)
}

extension Int: Bindable {
    func bind(to statement: Statement, _ index: Int32) { statement.bind(index, self) }
}
extension Int64: Bindable {
    func bind(to statement: Statement, _ index: Int32) { statement.bind(index, self) }
}
extension String: Bindable {
    func bind(to statement: Statement, _ index: Int32) { statement.bind(index, self) }
}
extension Digest: Bindable {
    func bind(to statement: Statement, _ index: Int32) { statement.bind(index, self) }
}
extension [UInt8]: Bindable {
    func bind(to statement: Statement, _ index: Int32) { statement.bind(index, self) }
}
extension StreamID: Bindable {
    func bind(to statement: Statement, _ index: Int32) { statement.bind(index, rawValue) }
}
extension Timestamp: Bindable {
    func bind(to statement: Statement, _ index: Int32) { statement.bind(index, microseconds) }
}

extension Optional: Bindable where Wrapped: Bindable {
    func bind(to statement: Statement, _ index: Int32) {
        if let self { self.bind(to: statement, index) } else { statement.bind(index, nil as Int64?) }
    }
}

extension Statement {
    @inline(__always)
    func bind(_ index: Int32, _ first: some Bindable, _ second: some Bindable) {
        first.bind(to: self, index)
        second.bind(to: self, index + 1)
    }

    @inline(__always)
    func bind(_ index: Int32, _ first: some Bindable, _ second: some Bindable, _ third: some Bindable) {
        bind(index, first, second)
        third.bind(to: self, index + 2)
    }

    @inline(__always)
    func bind(
        _ index: Int32, _ first: some Bindable, _ second: some Bindable, _ third: some Bindable, _ fourth: some Bindable
    ) {
        bind(index, first, second)
        bind(index + 2, third, fourth)
    }

    /// Binds values to the parameters 1, 2, 3 …
    func binding<each Value: Bindable>(_ values: repeat each Value) -> Statement {
        var index: Int32 = 0
        for value in repeat each values {
            index += 1
            value.bind(to: self, index)
        }
        return self
    }
}

extension Connection {
    func prepare<First: Bindable, each Value: Bindable>(
        _ sql: String, _ first: First, _ values: repeat each Value
    ) throws(DatabaseError) -> Statement {
        try prepare(sql).binding(first, repeat each values)
    }

    /// Runs a statement that returns no rows.
    func run<each Value: Bindable>(_ sql: String, _ values: repeat each Value) throws(DatabaseError) {
        try prepare(sql).binding(repeat each values).run()
    }
}

extension JournalDatabase {
    func statement<First: Bindable, each Value: Bindable>(
        _ query: Query, _ first: First, _ values: repeat each Value
    ) throws(DatabaseError) -> Statement {
        try statement(query).binding(first, repeat each values)
    }

    func run<First: Bindable, each Value: Bindable>(
        _ query: Query, _ first: First, _ values: repeat each Value
    ) throws(DatabaseError) {
        try statement(query).binding(first, repeat each values).run()
    }
}
