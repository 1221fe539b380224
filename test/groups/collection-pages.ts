// Pages of collections in one browser.
import '../bulk-collection.test.ts'
import '../collection-page.test.ts'
import '../collection-spreadsheet-page.test.ts'
import '../home-collection.test.ts'
import '../keep.test.ts'
import '../my-collections.test.ts'
