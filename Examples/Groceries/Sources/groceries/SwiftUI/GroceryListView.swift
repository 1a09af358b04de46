#if canImport(SwiftUI)
    import JournalObservation
    import SwiftUI

    struct GroceryListView: View {
        @Bindable var model: GroceryModel

        var body: some View {
            VStack {
                HStack {
                    TextField("What is missing?", text: $model.draft).onSubmit { model.add() }
                    Button("Add") { model.add() }.disabled(!model.canAdd)
                }
                List {
                    ForEach(model.visible) { item in
                        Toggle(item.name, isOn: Binding(model.isBought(item)))
                    }
                    .onDelete { model.remove(at: $0) }
                }
                Toggle("Hide what is bought", isOn: Binding(model.hidesBought))
                Text("\(model.missing) to buy")
                if let problem = model.problem {
                    Text(problem)
                    Button("OK") { model.forgetProblem() }
                }
            }
            .padding()
        }
    }
#endif
