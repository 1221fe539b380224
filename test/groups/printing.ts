// Files for paper, and archives of them.
import '../collection-codes.test.ts'
import '../print-page.test.ts'
import '../print-shares.test.ts'
import '../print-sheets.test.ts'
import '../printed-pages.test.ts'
