// The API of collections.
import '../collection-bad-input.test.ts'
import '../collection-changes.test.ts'
import '../collection-lists.test.ts'
import '../collection-shares.test.ts'
import '../collection-spreadsheet.test.ts'
import '../collection-statistics.test.ts'
import '../collections.test.ts'
import '../collections-kept.test.ts'
