// What becomes of nodes when one of them, PostgreSQL or Redis ends.
import '../nodes-scans.test.ts'
import '../reuse-port.test.ts'
import '../shared-limits.test.ts'
