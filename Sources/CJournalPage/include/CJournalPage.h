#ifndef CPAGE_H
#define CPAGE_H

// The parts of the page, as texts: each function returns the file of its name in `JournalReplayKit/Page/Assets`.

const char *page_html(void);
const char *page_css(void);
const char *page_text_js(void);
const char *page_json_js(void);
const char *page_diff_js(void);
const char *page_columns_js(void);
const char *page_runs_js(void);
const char *page_model_js(void);
const char *page_filter_js(void);
const char *page_lanes_js(void);
const char *page_painter_js(void);
const char *page_timeline_js(void);
const char *page_list_js(void);
const char *page_tree_js(void);
const char *page_step_js(void);
const char *page_state_js(void);
const char *page_app_js(void);
const char *page_embedded_js(void);
const char *page_live_js(void);
const char *page_acts_js(void);

#endif
