// What visits leave behind, and what is screened.
import '../admission.test.ts'
import '../bundle-import.test.ts'
import '../link-bundle.test.ts'
import '../lists.test.ts'
import '../many-stats.test.ts'
import '../scans.test.ts'
import '../streams.test.ts'
import '../webhooks.test.ts'
