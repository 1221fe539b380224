import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** The id of a link, which its scans refer to; no response contains it. */
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

/** The ids of all links that occur in the warehouse. */
export function linksIn(dataDir: string): number[] {
  const db = new DatabaseSync(join(dataDir, 'scans.db'), { readOnly: true })
  const tables = ['scans', 'quarter_hourly', 'daily', 'monthly', 'totals']
  const rows = db.prepare(tables.map((table) => `select link_id from ${table}`).join(' union ')).all()
  db.close()
  return (rows as { link_id: number }[]).map((row) => row.link_id)
}
