import { copyFileSync, mkdirSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { copyDatabase, faultsOf } from '../db/sqlite/copy.ts'
import { StartError } from '../lib/start-error.ts'
import { purgeCopy } from '../scans/sqlite/purge.ts'
import { syncPath } from '../lib/sync-path.ts'
import { checksumOf, type Checksum } from './files.ts'
import { isNewer, JOURNAL, LINKS, SCANS } from './manifest.ts'
import { orphansOf, summarizeLinks, summarizeScans, type LinksSummary, type ScansSummary } from './store.ts'

export interface SnapshotOptions {
  dataDir: string
  /** An empty folder. */
  folder: string
  /** Journal files that are not folded. */
  journals: string[]
}

/** What a snapshot has. */
export interface Snapshot {
  links: LinksSummary
  scans: ScansSummary
  /** The checksum of each file, by its path in the folder. */
  checksums: Map<string, Checksum>
}

/**
 * Copies a data folder into another, also while a service is using it; the copy is synced when this resolves. Scans are
 * copied first: the newer copy of the links then has every link with scans, except those that were deleted in between,
 * whose scans are removed.
 * @param onStep called with the next step
 */
export async function takeSnapshot(options: SnapshotOptions, onStep: (text: string) => void): Promise<Snapshot> {
  const { dataDir, folder, journals } = options
  const copies = journals.map((name) => `${JOURNAL}/${name}`)
  if (copies.length > 0) mkdirSync(join(folder, JOURNAL), { mode: 0o700 })
  for (const path of copies) copyFileSync(join(dataDir, path), join(folder, path))
  for (const name of [SCANS, LINKS]) {
    onStep(name)
    copyDatabase(join(dataDir, name), join(folder, name))
  }
  onStep('checking')
  const summary = await finish(folder)
  const paths = [LINKS, SCANS, ...copies]
  const checksums = new Map(paths.map((path) => [path, syncAndChecksum(join(folder, path))]))
  if (copies.length > 0) syncPath(join(folder, JOURNAL))
  return { ...summary, checksums }
}

async function finish(folder: string): Promise<Omit<Snapshot, 'checksums'>> {
  const links = new DatabaseSync(join(folder, LINKS), { readOnly: true })
  const scans = new DatabaseSync(join(folder, SCANS))
  try {
    const schemas = { links: summarizeLinks(links), scans: summarizeScans(scans) }
    if (isNewer(schemas))
      throw new StartError('the data folder was written by a newer quirl than this one: use that one')
    // Without a journal: an unfinished copy is discarded.
    scans.exec('pragma journal_mode = off; pragma synchronous = off; pragma secure_delete = on')
    await purgeCopy(scans, orphansOf(scans, links).deleted)
    for (const [name, db] of [
      [LINKS, links],
      [SCANS, scans],
    ] as const) {
      const [fault] = faultsOf(db)
      if (fault !== undefined) throw new StartError(`${name} is damaged, and no backup of it was taken: ${fault}`)
    }
    return { links: summarizeLinks(links), scans: summarizeScans(scans) }
  } finally {
    links.close()
    scans.close()
  }
}

function syncAndChecksum(file: string): Checksum {
  syncPath(file)
  return checksumOf(file)
}
