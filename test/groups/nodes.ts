// What nodes on one PostgreSQL share.
import '../doctor.test.ts'
import '../rolling-upgrade.test.ts'
import '../shared-state.test.ts'
import '../two-nodes-statistics.test.ts'
import '../two-nodes.test.ts'
