import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** The number of a link, by which its scans are kept; no answer tells it. */
export function linkIdOf(dataDir: string, { code }: { code: string }): number {
  const db = new DatabaseSync(join(dataDir, 'links.db'), { readOnly: true })
  try {
    const row = db.prepare('select id from links where code_key = ?').get(code.toLowerCase())
    if (row === undefined) throw new Error(`there is no link ${code}`)
    return row['id'] as number
  } finally {
    db.close()
  }
}
