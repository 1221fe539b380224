import type { Database } from '../db/database.ts'
import { invalidRequest, Problem } from '../http/problem.ts'
import type { StatusCache } from './status-cache.ts'
import { readDomainName } from './name.ts'
import { deleteRefused, hasRefused, insertRefused, listRefused } from './refused-store.ts'
import { deleteUnder } from './store.ts'

/**
 * Names that the operator reserves, because their DNS points here for other reasons: otherwise anyone could register an
 * alternative name of the service as a custom domain.
 */
export interface RefusedNames {
  /** Refuses a name and all names under it, and removes those that are registered. @throws {Problem} 400 */
  refuse: (text: string) => Promise<string>
  /** Allows a refused name again. @throws {Problem} 400, and 404 for one that is not refused */
  allow: (text: string) => Promise<string>
  refused: () => Promise<{ name: string; since: number }[]>
  /** @throws {Problem} 400 for a refused name */
  check: (name: string) => Promise<void>
}

export function createRefusedNames(db: Database, statuses: StatusCache, now: () => number): RefusedNames {
  return {
    async refuse(text) {
      const name = nameIn(text)
      await db.urgent('operator', async (transaction) => {
        await insertRefused(transaction, name, now())
        await deleteUnder(transaction, name)
      })
      await statuses.refresh()
      statuses.announce(name)
      return name
    },
    async allow(text) {
      const name = nameIn(text)
      if (await deleteRefused(db.write, name)) return name
      throw new Problem('unknown_domain', `${name} is not refused`)
    },
    refused: () => listRefused(db.read),
    async check(name) {
      const labels = name.split('.')
      const suffixes = labels.map((_, at) => labels.slice(at).join('.'))
      if (!(await hasRefused(db.read, suffixes))) return
      throw invalidRequest([{ pointer: '/domain', detail: 'is reserved by the operator of this service' }])
    },
  }
}

function nameIn(text: string): string {
  const read = readDomainName(text, undefined)
  if (typeof read === 'string') throw new Problem('invalid_request', `the name ${read}`)
  return read.name
}
