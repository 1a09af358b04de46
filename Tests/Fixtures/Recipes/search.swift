/// While someone types, nothing is searched; after the last letter there is one search.
func playSearch() async throws {
    let script: [CrashStep<SearchAction>] = [
        .dispatch(.typed("a")), .dispatch(.typed("ab")), .advance(.milliseconds(100)), .dispatch(.typed("abc")),
        .finish,
        .dispatch(.typed("abcd")), .finish,
    ]
    let searched = Box<[String]>([])
    let state = try await end(
        of: search, script,
        Engine { text in
            searched.change { $0.append(text) }
            return [text + "!"]
        })
    try expect(searched.value == ["abc", "abcd"], "searched \(searched.value)")
    try expect(state.results == ["abcd!"], "found \(state.results)")
    var matrix = CrashMatrix(search, script: script) { outside in
        Engine { text in outside.call("find", key: text) { _ in [text + "!"] } }
    }
    matrix.cutsTwice = false
    try await matrix.run()
}
