import Foundation
import JournalStore

/// Tells that it reduces, and then takes a minute for it.
let endless = Machine<Int, Int, Void>("endless", initialState: 0) { sum, number in
    print("reducing")
    fflush(nil)
    sleep(60)
    sum += number
}
