import { isDeepStrictEqual } from 'node:util'
import { Problem } from '../../http/problem.ts'
import { yieldEvery } from '../../lib/yield-every.ts'
import type { DesignDeps } from '../check-design.ts'
import { checkDesigns } from '../check-designs.ts'
import type { Client } from '../client.ts'
import type { CheckedDesign, DesignedLink } from '../design.ts'
import type { Link } from '../link.ts'
import type { LinkRow } from './row-links.ts'

/** What a row makes of the design of its link. */
export interface DesignChange {
  /** The design of the revision that was read. */
  present: object | undefined
  checked: CheckedDesign
}

/** Characters of the designs of all links together, as JSON: what changes replace is in memory at once. */
const MAX_PRESENT = 16 * 1024 * 1024
/** How long visits may wait while designs are read, in milliseconds. */
const SLICE_MS = 5

const wantsDesign = (row: LinkRow | Problem): row is LinkRow =>
  !(row instanceof Problem) && row.body['design'] !== undefined

/**
 * Checks the designs in valid rows, each on the code of its link.
 * @returns for each row, in their order, what it makes of the design, or why it cannot; undefined for a row without one
 * @throws {Problem} as `checkDesigns`
 */
export async function checkChangedDesigns(
  deps: DesignDeps,
  rows: (LinkRow | Problem)[],
  client: Client,
  collection: string | undefined,
): Promise<(DesignChange | Problem | undefined)[]> {
  const presents = await readPresents(deps, rows)
  const designed = rows.map((row, at) => {
    const read = presents[at]
    if (!wantsDesign(row) || read === undefined || read instanceof Problem) return undefined
    return { code: row.link.code, present: read.design, value: row.body['design'] }
  })
  const checked = await checkDesigns(deps, designed, client, collection)
  return rows.map((_, at) => {
    const [read, outcome] = [presents[at], checked[at]]
    if (read === undefined || read instanceof Problem) return read
    if (outcome === undefined || outcome instanceof Problem) return outcome
    return { present: read.design, checked: outcome }
  })
}

/** The designs of the links whose rows have one. */
async function readPresents(
  { designs }: DesignDeps,
  rows: (LinkRow | Problem)[],
): Promise<({ design: object | undefined } | Problem | undefined)[]> {
  const presents: ({ design: object | undefined } | Problem | undefined)[] = []
  let characters = 0
  const pause = yieldEvery(SLICE_MS)
  for (const row of rows) {
    const read = wantsDesign(row) && characters <= MAX_PRESENT ? { design: await designs.of(row.link.id) } : undefined
    if (read?.design !== undefined) characters += JSON.stringify(read.design).length
    presents.push(wantsDesign(row) && characters > MAX_PRESENT ? tooLarge() : read)
    await pause()
  }
  return presents
}

/** Whether a change replaces the design. */
export function changesDesign({ checked, present }: DesignChange): boolean {
  return !isDeepStrictEqual(checked.value, present ?? null)
}

/** A link with the design that it has before a change. */
export function withPresent(link: Link, change: DesignChange | undefined): DesignedLink {
  return { link, design: change?.present }
}

/** A link with the design that it has after a change. */
export function withChanged(link: Link, change: DesignChange | undefined): DesignedLink {
  if (change === undefined) return { link, design: undefined }
  return { link, design: changesDesign(change) ? (change.checked.value ?? undefined) : change.present }
}

function tooLarge(): Problem {
  const detail = `the designs of the links up to this row have more than ${MAX_PRESENT} characters; send it in another request`
  return new Problem('body_too_large', detail)
}
