// What docs/operating.md presupposes.

import JournalStore

let journal = opened()

func opened() -> Journal { fatalError() }
