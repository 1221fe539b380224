// What runs on both stores.
import '../clocks-apart.test.ts'
import '../database-encoding.test.ts'
import '../lost-scans.test.ts'
import '../recount.test.ts'
import '../shlink-visits.test.ts'
import '../wrong-clock.test.ts'
