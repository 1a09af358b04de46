// In Swift, literals of the size of these files take the compiler seconds.

#include "CJournalPage.h"

// `#embed` is part of C23.
#pragma clang diagnostic ignored "-Wc23-extensions"

const char *page_html(void) {
    static const char text[] = {
#embed "../JournalReplayKit/Page/Assets/page.html" suffix(, 0)
    };
    return text;
}

const char *page_css(void) {
    static const char text[] = {
#embed "../JournalReplayKit/Page/Assets/page.css" suffix(, 0)
    };
    return text;
}

const char *page_text_js(void) {
    static const char text[] = {
#embed "../JournalReplayKit/Page/Assets/text.js" suffix(, 0)
    };
    return text;
}

const char *page_json_js(void) {
    static const char text[] = {
#embed "../JournalReplayKit/Page/Assets/json.js" suffix(, 0)
    };
    return text;
}

const char *page_diff_js(void) {
    static const char text[] = {
#embed "../JournalReplayKit/Page/Assets/diff.js" suffix(, 0)
    };
    return text;
}

const char *page_columns_js(void) {
    static const char text[] = {
#embed "../JournalReplayKit/Page/Assets/columns.js" suffix(, 0)
    };
    return text;
}

const char *page_runs_js(void) {
    static const char text[] = {
#embed "../JournalReplayKit/Page/Assets/runs.js" suffix(, 0)
    };
    return text;
}

const char *page_model_js(void) {
    static const char text[] = {
#embed "../JournalReplayKit/Page/Assets/model.js" suffix(, 0)
    };
    return text;
}

const char *page_filter_js(void) {
    static const char text[] = {
#embed "../JournalReplayKit/Page/Assets/filter.js" suffix(, 0)
    };
    return text;
}

const char *page_lanes_js(void) {
    static const char text[] = {
#embed "../JournalReplayKit/Page/Assets/lanes.js" suffix(, 0)
    };
    return text;
}

const char *page_painter_js(void) {
    static const char text[] = {
#embed "../JournalReplayKit/Page/Assets/painter.js" suffix(, 0)
    };
    return text;
}

const char *page_timeline_js(void) {
    static const char text[] = {
#embed "../JournalReplayKit/Page/Assets/timeline.js" suffix(, 0)
    };
    return text;
}

const char *page_list_js(void) {
    static const char text[] = {
#embed "../JournalReplayKit/Page/Assets/list.js" suffix(, 0)
    };
    return text;
}

const char *page_tree_js(void) {
    static const char text[] = {
#embed "../JournalReplayKit/Page/Assets/tree.js" suffix(, 0)
    };
    return text;
}

const char *page_step_js(void) {
    static const char text[] = {
#embed "../JournalReplayKit/Page/Assets/step.js" suffix(, 0)
    };
    return text;
}

const char *page_state_js(void) {
    static const char text[] = {
#embed "../JournalReplayKit/Page/Assets/state.js" suffix(, 0)
    };
    return text;
}

const char *page_app_js(void) {
    static const char text[] = {
#embed "../JournalReplayKit/Page/Assets/app.js" suffix(, 0)
    };
    return text;
}

const char *page_embedded_js(void) {
    static const char text[] = {
#embed "../JournalReplayKit/Page/Assets/embedded.js" suffix(, 0)
    };
    return text;
}

const char *page_live_js(void) {
    static const char text[] = {
#embed "../JournalReplayKit/Page/Assets/live.js" suffix(, 0)
    };
    return text;
}

const char *page_acts_js(void) {
    static const char text[] = {
#embed "../JournalReplayKit/Page/Assets/acts.js" suffix(, 0)
    };
    return text;
}
