#if canImport(SwiftUI)
    import SwiftUI

    struct OpeningView: View {
        let opening: Opening

        var body: some View {
            Group {
                switch opening.phase {
                case .opening: ProgressView()
                case .open(let model): GroceryListView(model: model)
                case .failed(let problem): Text(problem)
                }
            }
            .task { await opening.open() }
        }
    }
#endif
