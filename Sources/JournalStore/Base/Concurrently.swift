/// Transforms items, several at a time. The results come in the order in which they are ready.
func concurrently<Item: Sendable, Result: Sendable>(
    _ items: some Sequence<Item>, atMost limit: Int, _ transform: @escaping @Sendable (Item) async -> Result
) async -> [Result] {
    await withTaskGroup(of: Result.self) { group in
        var results: [Result] = []
        for (index, item) in items.enumerated() {
            if index >= limit, let result = await group.next() { results.append(result) }
            group.addTask { await transform(item) }
        }
        for await result in group { results.append(result) }
        return results
    }
}
