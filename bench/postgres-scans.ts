import { openPostgresSession, type PostgresSession } from '../src/nodes/database/session.ts'
import { openPostgresDictionary } from '../src/nodes/scans/dictionary.ts'
import { writeScans } from '../src/nodes/scans/fold-target.ts'
import { migrateScans } from '../src/nodes/scans/migrations.ts'
import { openPartitions } from '../src/nodes/scans/partitions.ts'
import { writeRollups } from '../src/nodes/scans/rollup-writer.ts'
import type { FoldedScan } from '../src/scans/scan.ts'
import { addressOf, startPostgres, urlOf } from '../test/support/postgres.ts'

/** Scans in a PostgreSQL of this machine. */
export interface PostgresScans {
  query: PostgresSession['query']
  add: (scans: FoldedScan[]) => Promise<void>
  close: () => Promise<void>
}

export async function openPostgresScans(): Promise<PostgresScans> {
  const works: (() => Promise<void> | void)[] = []
  const server = await startPostgres({ after: (work) => void works.push(work) })
  const session = openPostgresSession({ url: urlOf(addressOf(server, 'postgres')), max: 3, isPatient: true })
  await migrateScans(session)
  const dictionary = openPostgresDictionary(session.query)
  const partitions = openPartitions(session)
  return {
    query: session.query,
    async add(scans) {
      await partitions.prepare(scans)
      const idsOf = await dictionary.prepare(scans)
      await session.transaction(async (query, copy) => writeRollups(query, await writeScans(copy, scans, idsOf)))
    },
    async close() {
      await session.close()
      for (const work of works.toReversed()) await work()
    },
  }
}
