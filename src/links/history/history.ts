import { isDeepStrictEqual } from 'node:util'
import type { Transaction } from '#kysely'
import type { Tables } from '../../db/schema.ts'
import { Problem } from '../../http/problem.ts'
import type { DesignedLink } from '../design.ts'
import { insertRevision, type HistoryBounds, type ReplacedRevision } from './history-store.ts'
import { kindOf } from '../kinds/index.ts'

/** Revisions of a link that its owner can read and revert to, the present one included. */
export const MAX_REVISIONS = 50

/** With the bytes, the history of a link stores about as much as its creation can, and one revision of any size. */
const bounds: HistoryBounds = { revisions: MAX_REVISIONS - 1, bytes: 256 * 1024 }

/** The values of the fields that an owner sets, by the names of the API: the body of a change that sets them all. */
type Snapshot = Record<string, unknown>

/** A revision of a link. */
export interface Revision {
  revision: number
  /** When it began, milliseconds since 1970, UTC. */
  at: number
  snapshot: Snapshot
  /** What it has changed; null for the oldest one, before which nothing is known. */
  changes: Record<string, FieldChange> | null
}

interface FieldChange {
  before: unknown
  after: unknown
}

/** A field that has a value here is part of the history. Revisions from before the field existed need no migration. */
function snapshotOf({ link, design }: DesignedLink): Snapshot {
  const { target, title, campaign, utm, rules, placements, active } = link
  const names = Object.keys(kindOf(link).fields.properties)
  const payload = Object.fromEntries(names.map((name) => [name, link.payload[name] ?? null]))
  const fields = { ...payload, target, title, campaign, utm, rules, placements, active, design: design ?? null }
  // The password itself is not stored, and no change sets this field: a revert leaves the password as it is.
  return { ...fields, has_password: link.password !== null }
}

/** Bytes of what a change stores that count as one change. */
const CHANGE_BYTES = 16 * 1024

/** The names of the fields that differ between two revisions. */
export function changedFields(before: DesignedLink, after: DesignedLink): string[] {
  return differing(snapshotOf(before), snapshotOf(after))
}

function differing(replaced: Snapshot, next: Snapshot): string[] {
  return Object.keys(next).filter((name) => !isDeepStrictEqual(replaced[name], next[name]))
}

/** Bytes of what a change stores: what it replaces, and what comes. */
export function changeBytes(before: DesignedLink, after: DesignedLink): number {
  const [replaced, next] = [snapshotOf(before), snapshotOf(after)]
  const changed = differing(replaced, next)
  return Buffer.byteLength(JSON.stringify(changed.map((name) => [replaced[name], next[name]])))
}

/** As how many changes one of so many bytes counts: it stores as much as so many others. */
export function unitsOf(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / CHANGE_BYTES))
}

/** Stores the revision that a change replaces, in the transaction of the change. */
export async function recordRevision(
  transaction: Transaction<Tables>,
  before: DesignedLink,
  after: DesignedLink,
): Promise<void> {
  const { id, revision, updatedAt: at } = before.link
  const next = snapshotOf(after)
  const fields = Object.entries(snapshotOf(before)).filter(([name, value]) => !isDeepStrictEqual(value, next[name]))
  await insertRevision(transaction, id, { revision, at, replaced: Object.fromEntries(fields) }, bounds)
}

/**
 * The revisions of a link, newest first.
 * @param stored what changes have replaced, newest first, read after the link; changes since then are disregarded
 */
export function revisionsOf(owned: DesignedLink, stored: ReplacedRevision[]): Revision[] {
  const { revision: present, updatedAt } = owned.link
  const revisions: Revision[] = []
  let snapshot = snapshotOf(owned)
  let begin = { revision: present, at: updatedAt }
  for (const { replaced, ...earlier } of stored) {
    if (earlier.revision < present) {
      revisions.push({ ...begin, snapshot, changes: changesOf(replaced, snapshot) })
      begin = earlier
    }
    snapshot = Object.assign({}, snapshot, replaced)
  }
  return [...revisions, { ...begin, snapshot, changes: null }]
}

function changesOf(replaced: Snapshot, snapshot: Snapshot): Record<string, FieldChange> {
  return Object.fromEntries(Object.entries(replaced).map(([name, before]) => [name, { before, after: snapshot[name] }]))
}

/**
 * The body of the change that reverts to a revision.
 * @throws {Problem} 404 when it is not stored
 */
export function revertBody(revisions: Revision[], revision: number): Snapshot {
  const found = revisions.find((each) => each.revision === revision)
  if (found !== undefined) return found.snapshot
  throw new Problem('unknown_revision', `revision ${revision} is not in the history of this link`)
}
