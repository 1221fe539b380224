import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Known, Owner } from './owner.ts'

interface Row {
  id: number
  code: string
  target: string
  active: number
}

/** Deviations that the service has reported. */
export interface Allowed {
  /** Scans that were lost. */
  lost?: number
  /** Whether visitors may count as new again. */
  newAgain?: boolean
}

/** Compares the responses of owners with the data of a stopped service: nothing is lost, duplicated or invented. */
export function compareStored(dataDir: string, owners: Owner[], { lost = 0, newAgain = false }: Allowed = {}): void {
  const { rows, purges, codes } = readLinks(join(dataDir, 'links.db'))
  const known = new Map(owners.flatMap(({ links }) => links.map((link) => [link.code, link])))
  const ids = new Map<number, Known>()
  const strangers: string[] = []
  for (const { id, code, target, active } of rows) {
    const link = known.get(code)
    if (link === undefined) {
      strangers.push(target)
      continue
    }
    assert.deepEqual({ code, target, active: active === 1 }, pick(link), 'a link differs from the last response')
    assert.equal(link.deleted, false, `${code} was deleted`)
    ids.set(id, link)
  }
  const live = [...known.values()].filter(({ deleted }) => !deleted)
  assert.equal(ids.size, live.length, 'an acknowledged link is missing')
  for (const code of known.keys()) assert.ok(codes.has(code), `the code ${code} is free again`)
  compareUncertain(strangers, owners)
  compareScans(join(dataDir, 'scans.db'), ids, new Set(purges), { lost, newAgain })
}

const pick = ({ code, target, active }: Known) => ({ code, target, active })

function readLinks(file: string) {
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    assert.deepEqual({ ...db.prepare('pragma integrity_check').get() }, { integrity_check: 'ok' })
    const rows = db.prepare('select id, code, target, active from links').all() as unknown as Row[]
    const purges = (db.prepare('select link_id from purges').all() as { link_id: number }[]).map((row) => row.link_id)
    const query = 'select code_key from codes union select code_key from links'
    const codes = (db.prepare(query).all() as { code_key: string }[]).map((row) => row.code_key)
    return { rows, purges, codes: new Set(codes) }
  } finally {
    db.close()
  }
}

/** Links that no response named come from unanswered creations without a key, each applied once and completely, or not at all. */
function compareUncertain(strangers: string[], owners: Owner[]): void {
  const found = new Set(strangers)
  assert.equal(found.size, strangers.length, 'a link was created twice')
  for (const targets of owners.flatMap(({ uncertain }) => uncertain)) {
    const there = targets.filter((target) => found.delete(target)).length
    assert.ok(there === 0 || there === targets.length, `${there} of ${targets.length} links of a request exist`)
  }
  assert.deepEqual([...found], [], 'links exist that no client has created')
}

/** The referrers of all scans of each link; the counts must agree with them. */
function readScans(file: string, newAgain: boolean): Map<number, string[]> {
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    assert.deepEqual({ ...db.prepare('pragma integrity_check').get() }, { integrity_check: 'ok' })
    // All visits of an owner come from one visitor: the first of a day is new.
    const firsts = newAgain ? 'sum(first)' : 'count(distinct at / 86400000)'
    const counted = countsIn(db, 'count(*)', firsts, 'scans')
    for (const table of ['totals', 'quarter_hourly', 'daily where dimension = 0', 'monthly where dimension = 0']) {
      assert.deepEqual(countsIn(db, 'sum(humans + bots)', 'sum(human_firsts + bot_firsts)', table), counted, table)
    }
    const query = 'select link_id, text from scans join dictionary on dictionary.id = scans.referrer'
    const rows = db.prepare(query).all() as { link_id: number; text: string }[]
    const byLink = Map.groupBy(rows, (row) => row.link_id)
    return new Map(Array.from(byLink, ([id, scans]) => [id, scans.map(({ text }) => text)]))
  } finally {
    db.close()
  }
}

function countsIn(db: DatabaseSync, scans: string, firsts: string, from: string): object[] {
  const query = `select link_id, ${scans} as scans, ${firsts} as firsts from ${from} group by link_id order by link_id`
  return db
    .prepare(query)
    .all()
    .map((row) => ({ ...row }))
}

function compareScans(
  file: string,
  links: Map<number, Known>,
  purges: Set<number>,
  { lost, newAgain }: Required<Allowed>,
): void {
  const scans = readScans(file, newAgain)
  let missing = 0
  for (const [id, { code, answered, asked }] of links) {
    const names = scans.get(id) ?? []
    scans.delete(id)
    const there = new Set(names)
    assert.equal(there.size, names.length, `a visit of ${code} is stored twice`)
    for (const name of names) assert.ok(asked.has(name), `no client has made the visit ${name}`)
    missing += [...answered].filter((name) => !there.has(name)).length
  }
  assert.ok(missing <= lost, `${missing} answered visits are missing, but only ${lost} were reported as lost`)
  // These belong to links that were created without a response, or are being purged.
  for (const id of scans.keys()) assert.ok(purges.has(id), `scans of link ${id} are left`)
}
