// Pages with statistics in one browser.
import '../events.test.ts'
import '../period.test.ts'
import '../phone.test.ts'
import '../statistics-detail.test.ts'
import '../statistics-files.test.ts'
import '../stats-filters.test.ts'
