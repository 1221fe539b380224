import { copyFileSync, mkdirSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { copyDatabase, faultsOf } from '../db/copy.ts'
import { StartError } from '../lib/start-error.ts'
import { purgeLinks } from '../scans/purge.ts'
import { syncPath } from '../lib/sync-path.ts'
import { sumOf, type Sum } from './files.ts'
import { isNewer, JOURNAL, LINKS, SCANS } from './manifest.ts'
import { orphansOf, readLinkFacts, readScanFacts, type LinkFacts, type ScanFacts } from './store.ts'

export interface TakeOptions {
  dataDir: string
  /** An empty folder. */
  folder: string
  /** Journal files whose scans are in no database yet. */
  journals: string[]
}

/** What was copied. */
export interface Taken {
  links: LinkFacts
  scans: ScanFacts
  /** Of each file that was written, by its path in the folder. */
  sums: Map<string, Sum>
}

/**
 * Copies what a data folder keeps into another, beside a service that may be using it; all of it is on the disk when this
 * ends. The scans come first: whatever they belong to is then among the links, which are newer, and so no number
 * of a link that has scans can be given again. The scans of links that were deleted in between are left out.
 * @param onStep told what is done next
 */
export async function takeCopies(options: TakeOptions, onStep: (text: string) => void): Promise<Taken> {
  const { dataDir, folder, journals } = options
  const copies = journals.map((name) => `${JOURNAL}/${name}`)
  if (copies.length > 0) mkdirSync(join(folder, JOURNAL), { mode: 0o700 })
  for (const path of copies) copyFileSync(join(dataDir, path), join(folder, path))
  for (const name of [SCANS, LINKS]) {
    onStep(name)
    copyDatabase(join(dataDir, name), join(folder, name))
  }
  onStep('checking')
  const facts = await finish(folder)
  const paths = [LINKS, SCANS, ...copies]
  const sums = new Map(paths.map((path) => [path, syncedSum(join(folder, path))]))
  if (copies.length > 0) syncPath(join(folder, JOURNAL))
  return { ...facts, sums }
}

async function finish(folder: string): Promise<Omit<Taken, 'sums'>> {
  const links = new DatabaseSync(join(folder, LINKS), { readOnly: true })
  const scans = new DatabaseSync(join(folder, SCANS))
  try {
    const schemas = { links: readLinkFacts(links), scans: readScanFacts(scans) }
    if (isNewer(schemas)) throw new StartError('what is kept is of a newer quirl than this one: use that one')
    // A copy that is not finished is thrown away.
    scans.exec('pragma journal_mode = off; pragma synchronous = off; pragma secure_delete = on')
    await purgeLinks({ db: scans }, orphansOf(scans, links).deleted)
    for (const [name, db] of [
      [LINKS, links],
      [SCANS, scans],
    ] as const) {
      const [fault] = faultsOf(db)
      if (fault !== undefined) throw new StartError(`${name} is damaged, and no backup of it was taken: ${fault}`)
    }
    return { links: readLinkFacts(links), scans: readScanFacts(scans) }
  } finally {
    links.close()
    scans.close()
  }
}

function syncedSum(file: string): Sum {
  syncPath(file)
  return sumOf(file)
}
