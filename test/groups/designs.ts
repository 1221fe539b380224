// Pages with forms in one browser.
import '../design-form.test.ts'
import '../double-click.test.ts'
import '../foreign-forms.test.ts'
import '../live-preview.test.ts'
import '../looks.test.ts'
import '../passwords-browser.test.ts'
import '../placements-page.test.ts'
import '../strict-handling.test.ts'
