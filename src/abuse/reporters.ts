import { hash, randomBytes } from 'node:crypto'
import type { Executor } from '../db/database.ts'
import {
  deleteReporter,
  findReporters,
  insertReporter,
  obtainSalts,
  type Reporter,
  type Salts,
} from './reporter-store.ts'

const DAY_MS = 86_400_000
/** Reports count for that long, today included. */
const REPORT_DAYS = 30
export const REPORT_MS = REPORT_DAYS * DAY_MS
/** More networks of one link are not told apart: its reports are as serious already. */
export const MAX_NETWORKS = 1000
/** The first UTC day whose reports count. */
export function firstDay(now: number): string {
  return dayOf(now - (REPORT_DAYS - 1) * DAY_MS)
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}

/** From where a link was reported. */
export interface Reporters {
  /** From how many networks in `REPORT_DAYS`; at most `MAX_NETWORKS`. */
  networks: number
  /** Whether this one was among them before. */
  isAgain: boolean
}

/**
 * Notes the network of a report, which counts once however often it reports, in a transaction that has locked the link's
 * reports.
 */
export async function noteReporter(db: Executor, linkId: number, network: string, now: number): Promise<Reporters> {
  const [first, today] = [firstDay(now), dayOf(now)]
  const salts = await obtainSalts(db, first, today, randomBytes(32).toString('hex'))
  const digests = digestsOf(salts, linkId, network)
  const isSame = ({ day, network: digest }: Reporter) => digests.get(day) === digest
  const found = await findReporters(db, linkId, first)
  const others = found.filter((each) => !isSame(each))
  const isAgain = others.length < found.length
  if (others.length >= MAX_NETWORKS) return { networks: MAX_NETWORKS, isAgain }
  // It counts from its last report on.
  for (const earlier of found.filter((each) => isSame(each) && each.day !== today)) {
    await deleteReporter(db, linkId, earlier)
  }
  await insertReporter(db, linkId, { day: today, network: digests.get(today) ?? 0 })
  return { networks: others.length + 1, isAgain }
}

/**
 * A network as each day's salt digests it, for one link: 16 bits, which 256 networks of IPv4 share, so that not even who has the
 * salt finds the network.
 */
function digestsOf(salts: Salts, linkId: number, network: string): Map<string, number> {
  const digest = (salt: string) => hash('sha256', `${salt}reporter ${linkId} ${network}`, 'buffer').readUInt16BE(0)
  return new Map(Array.from(salts, ([day, salt]) => [day, digest(salt)]))
}
