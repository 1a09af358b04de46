from support import PageCase, journal, tool


class Steps(PageCase):
    def test_a_page_opens_at_the_newest_step(self):
        page = self.open()
        self.wait_for_step(page, "order-39", 9)
        self.assertIn("298 steps · 40 streams · 83 effects", page.text("#facts"))
        self.assertIn("shipped", self.rows(page)[-1])

    def test_a_filter_by_stream_shows_the_stream_of_that_name(self):
        page = self.open()
        self.set(page, "filter-stream", "order-4")
        page.wait("document.getElementById('found').innerText === '7 of 298 steps'")
        self.assertEqual(len(self.rows(page)), 7)
        self.assertTrue(all("order-4, step" in row for row in self.rows(page)))

    def test_a_filter_by_a_part_of_a_name_shows_all_such_streams(self):
        page = self.open()
        self.set(page, "filter-stream", "ORDER-1")
        page.run("document.getElementById('filter-stream').value = 'rder-1'")
        page.write("7")
        page.wait("document.getElementById('found').innerText === '5 of 298 steps'")
        self.assertTrue(all("order-17, step" in row for row in self.rows(page)))

    def test_filters_by_action_origin_and_outcome_combine(self):
        page = self.open()
        self.set(page, "filter-name", "ship")
        page.wait("document.getElementById('found').innerText.startsWith('43 of')")
        self.set(page, "filter-outcome", "rejected")
        page.wait("document.getElementById('found').innerText.startsWith('5 of')")
        self.assertTrue(all("ship" in row and "rejected" in row for row in self.rows(page)))
        page.click("#filter-reset")
        page.wait("document.getElementById('found').innerText === ''")
        self.set(page, "filter-origin", "restart")
        page.wait("document.getElementById('found').innerText.startsWith('2 of')")
        self.assertTrue(all("remind" in row and "from restart" in row for row in self.rows(page)))

    def test_two_fields_that_change_at_once_both_count(self):
        page = self.open()
        page.run("""for (const [id, value] of [['filter-stream', 'order-17'], ['filter-text', 'declined']]) {
            const field = document.getElementById(id);
            field.value = value;
            field.dispatchEvent(new Event('input', { bubbles: true }));
        }""")
        page.wait("document.getElementById('found').innerText.endsWith(' of 298 steps')")
        rows = self.rows(page)
        self.assertTrue(rows and all("order-17, step" in row for row in rows), rows)

    def test_the_list_does_not_move_after_a_filter_was_applied(self):
        page = self.open()
        page.run("""window.places = new Promise((done) => {
            const place = () => document.getElementById('steps').getBoundingClientRect().top;
            new MutationObserver(() => {
                const first = place();
                requestAnimationFrame(() => requestAnimationFrame(() => done([first, place()])));
            }).observe(document.getElementById('found'), { childList: true });
        }); 0""")
        before = page.run("document.getElementById('steps').getBoundingClientRect().top")
        self.set(page, "filter-stream", "order-17")
        first, last = page.run("window.places")
        self.assertEqual(first, last)
        self.assertNotEqual(before, last, "the timeline of one stream should be lower than that of forty")

    def test_a_text_is_found_in_actions_reasons_and_errors_of_effects(self):
        page = self.open()
        for text, count in [("4000-0000-0000-1011", 1), ("THE ORDER IS NOT PAID", 5), ("bank did not", 6), ("nowhere", 0)]:
            self.set(page, "filter-text", text)
            page.wait(f"document.getElementById('found').innerText.startsWith('{count} of')")
            page.click("#filter-reset")
            page.wait("document.getElementById('found').innerText === ''")
        self.assertEqual(page.run("document.getElementById('none').hidden"), True)

    def test_from_something_is_wrong_in_order_17_to_its_cause_with_the_keyboard(self):
        page = self.open()
        page.press("/")
        self.assertEqual(page.focused(), "filter-text")
        page.press("Tab")
        page.write("order-17")
        page.wait("document.getElementById('found').innerText.startsWith('5 of')")
        page.press("Tab", 3)
        page.run("document.activeElement.value = 'problem'; document.activeElement.dispatchEvent(new Event('input', {bubbles: true}))")
        page.wait("document.getElementById('found').innerText.startsWith('2 of')")
        page.focus("#steps")
        page.press("Home")
        self.wait_for_step(page, "order-17", 4)
        page.wait("document.querySelector('.effect .problem')")
        self.assertIn("card declined: limit exceeded", page.text(".effect .problem"))

    def test_links_lead_to_the_cause_and_back_to_the_consequence(self):
        page = self.open_step("order-17", 5)
        self.assertIn("Sent by the effect “charge” of order-17, step 4: pay", page.text("#step"))
        page.click("#step section:nth-of-type(2) a")
        self.wait_for_step(page, "order-17", 4)
        self.assertEqual(page.texts("#step h3")[2], "Consequences")
        self.assertEqual(page.texts("#step h3 + .links"), ["order-17, step 5: declined after 8.4 s"])
        page.click("#step h3 + .links a")
        self.wait_for_step(page, "order-17", 5)

    def test_a_fragment_names_the_place_and_opens_it(self):
        page = self.open_step("order-3", 2)
        page.press("n")
        self.wait_for_step(page, "order-3", 3)
        page.wait("location.hash === '#stream=order-3&step=3'")
        page.run("location.hash = '#stream=order-5&step=1'")
        self.wait_for_step(page, "order-5", 1)
        page.run("location.hash = '#stream=order-5&step=99'")
        page.wait("document.getElementById('status').innerText === 'This page has no step 99 of order-5.'")
        self.wait_for_step(page, "order-5", 1)

    def test_keys_move_in_the_list_the_stream_and_along_causes(self):
        page = self.open_step("order-17", 5)
        for key, stream, step in [
            ("c", "order-17", 4), ("v", "order-17", 5), ("b", "order-17", 4), ("n", "order-17", 5), ("j", "order-18", 6),
            ("k", "order-17", 5),
        ]:
            page.press(key)
            self.wait_for_step(page, stream, step)
        page.press("?")
        page.wait("document.getElementById('keys').open")
        page.click("#keys-on")
        page.press("Escape")
        page.wait("!document.getElementById('keys').open")
        page.press("b")
        page.press("c")
        self.wait_for_step(page, "order-17", 5)

    def test_a_step_that_a_filter_hides_is_shown_without_the_filter(self):
        page = self.open()
        self.set(page, "filter-stream", "order-3")
        page.wait("document.getElementById('found').innerText !== ''")
        page.run("location.hash = '#stream=order-5&step=1'")
        self.wait_for_step(page, "order-5", 1)
        self.assertEqual(page.run("[document.getElementById('filter-stream').value, document.getElementById('found').innerText]"), ["", ""])

    def test_a_rejected_step_says_why(self):
        page = self.open()
        self.set(page, "filter-outcome", "rejected")
        page.wait("document.getElementById('found').innerText.startsWith('5 of')")
        page.focus("#steps")
        page.press("Home")
        page.wait("document.querySelector('#step .problem')")
        self.assertEqual(page.text("#step .problem"), "the order is not paid")

    def test_a_page_holds_the_newest_steps_and_the_streams_that_are_asked_for(self):
        page = self.open(options=["--last", "50"])
        self.assertIn("50 steps", page.text("#facts"))
        self.assertEqual(page.text("#notes"), "248 older steps are not in this page.")
        page = self.open(options=["--stream", "order-3", "--stream", "order-17"])
        self.assertIn("14 steps · 2 streams · 4 effects", page.text("#facts"))
        done = tool("page", journal("orders"), "-o", journal("orders"), status=1)
        self.assertIn("already exists", done.stderr)
        self.assertEqual(done.stdout, "")


class Effects(PageCase):
    def test_an_effect_shows_its_life(self):
        page = self.open_step("order-17", 4)
        life = page.text(".effect")
        for part in ["charge 4.0 failed", "Error: card declined", "First started after 100 ms",
                     "Attempts 3, 3 failed", "Ended after 8.4 s", "At a restart resume",
                     'Retry policy {"maxAttempts":3}', "Sent order-17, step 5: declined after 8.4 s"]:
            self.assertIn(part, life)

    def test_remembered_steps_are_listed_with_their_results(self):
        page = self.open_step("order-1", 6)
        self.assertEqual(page.texts(".remembered li"), ['/label {"label":10}', '/parcel/1/pickup {"pickup":11}'])

    def test_an_effect_that_a_restart_resumed_says_so(self):
        page = self.open_step("order-21", 4)
        self.assertIn("Attempts 2, resumed 1 time after a restart", page.text(".effect"))
        self.assertEqual(page.run("document.querySelector('.effect').dataset.kind"), "resumed")
        self.assertEqual(
            page.texts(".attempts li"),
            ["1. started after 100 ms, cut off by the end of its process", "2. started after 10.5 s, ended after another 10.5 s"])

    def test_each_attempt_is_listed_with_its_error(self):
        page = self.open_step("order-17", 4)
        self.assertEqual(
            page.texts(".attempts li"),
            ["1. started after 100 ms, ended after another 2 s: card declined: limit exceeded (1)",
             "2. started after 2.87 s, ended after another 2 s: card declined: limit exceeded (2)",
             "3. started after 5.63 s, ended after another 2.77 s"])

    def test_an_intervention_is_shown_with_its_reason(self):
        page = self.open_step("order-25", 4)
        self.assertIn("An operator cancelled effect 4.0, which was running", page.text("#step"))
        self.assertIn("customer called", page.text("#step"))

    def test_the_list_of_effects_leads_to_their_steps(self):
        page = self.open()
        page.click("#show-runs")
        self.set(page, "filter-stream", "order-17")
        page.wait("document.querySelectorAll('#runs .row').length === 2")
        self.assertEqual(self.rows(page, "runs"), ["charge 3 attempts failed order-17 4.0 8.4 s", self.rows(page, "runs")[1]])
        page.click("#runs .row")
        self.wait_for_step(page, "order-17", 4)

    def test_each_kind_of_effect_has_its_own_name(self):
        page = self.open()
        page.click("#show-runs")
        page.wait("document.querySelector('#runs .row')")
        kinds = set()
        for place in range(0, 60 * 48, 400):
            page.run(f"document.getElementById('runs').scrollTop = {place}; new Promise(requestAnimationFrame)")
            kinds |= set(page.run("[...document.querySelectorAll('#runs .badge')].map(e => e.dataset.kind)"))
        self.assertLessEqual({"completed", "failed", "retried", "resumed", "parked", "cancelled", "running", "waiting"}, kinds)
