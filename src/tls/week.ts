import type { Database } from '../db/database.ts'
import { findCertificate } from './certificate-store.ts'
import { countUnprovenIssued, isProven, listUnprovenOfFull } from './issued-store.ts'

/** Names under one registrable domain that get certificates in a week without a proof of whose they are. */
const MAX_OF_WEEK = 40
const WEEK_MS = 7 * 24 * 60 * 60_000

interface WeekDeps {
  db: Database
  now: () => number
  /** The registrable domain of a name. */
  registrableOf: (name: string) => string
}

/**
 * Why a name gets no certificate for now: as many names under its registrable domain have new ones as may. Authorities allow a domain 50
 * in a week, which strangers would use up where a wildcard record leads here. Names that DNS has proven to be somebody's have what is
 * left. Nothing of it is stored, so that a name goes on at once when it is proven or another one is older, whichever process sees that.
 * @param others the names that are ordered at the moment
 */
export async function findWeekFault(
  { db, now, registrableOf }: WeekDeps,
  name: string,
  others: string[] = [],
): Promise<string | undefined> {
  const registrable = registrableOf(name)
  const underWay = others.filter((other) => registrableOf(other) === registrable)
  const issued = await countUnprovenIssued(db.read, { registrable, since: now() - WEEK_MS, except: underWay })
  if (issued + underWay.length < MAX_OF_WEEK) return undefined
  // What had a certificate before is renewed, which authorities do not count.
  if ((await isProven(db.read, name)) || (await findCertificate(db.read, name)) !== undefined) return undefined
  return faultOf(registrable)
}

/** The active names that get no certificate for now for that reason, and the reason. */
export async function listWeekFaults({ db, now }: Omit<WeekDeps, 'registrableOf'>): Promise<Map<string, string>> {
  const names = await listUnprovenOfFull(db.read, { since: now() - WEEK_MS, most: MAX_OF_WEEK })
  return new Map(names.map(({ name, registrable }) => [name, faultOf(registrable)]))
}

function faultOf(registrable: string): string {
  return `${MAX_OF_WEEK} names under ${registrable} got certificates in a week: claim this one by its TXT record, or wait`
}
