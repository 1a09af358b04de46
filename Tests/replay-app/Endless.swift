import Foundation
import JournalStore

/// Tells that it reduces, and does not end.
let endless = Machine<Int, Int, Void>("endless", initialState: 0) { sum, number in
    print("reducing")
    fflush(nil)
    while true { sleep(60) }
}
