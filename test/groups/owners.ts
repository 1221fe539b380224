// Pages for owners, readers and visitors in one browser.
import '../owner-page.test.ts'
import '../settings-page.test.ts'
import '../share-page.test.ts'
import '../statistics-page.test.ts'
import '../visitor-pages.test.ts'
