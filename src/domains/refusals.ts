import type { Database } from '../db/database.ts'
import { invalidRequest, Problem } from '../http/problem.ts'
import type { KnownDomains } from './known.ts'
import { readDomainName } from './name.ts'
import { deleteRefused, hasRefused, insertRefused, listRefused } from './refused-store.ts'
import { deleteUnder } from './store.ts'

/**
 * Names that the operator keeps, because their DNS leads here for another reason than to be a custom domain: a second
 * name of the service, say, which anyone could register otherwise.
 */
export interface Refusals {
  /** Keeps a name and all under it, and removes those that are registered. @throws {Problem} 400 */
  refuse: (text: string) => Promise<string>
  /** Lets a kept name be registered again. @throws {Problem} 400, and 404 for one that is not kept */
  allow: (text: string) => Promise<string>
  refused: () => Promise<{ name: string; since: number }[]>
  /** @throws {Problem} 400 when the name is kept */
  check: (name: string) => Promise<void>
}

export function createRefusals(db: Database, known: KnownDomains, now: () => number): Refusals {
  return {
    async refuse(text) {
      const name = nameIn(text)
      await db.transaction(async (transaction) => {
        await insertRefused(transaction, name, now())
        await deleteUnder(transaction, name)
      })
      await known.refresh()
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
      const above = labels.map((_, at) => labels.slice(at).join('.'))
      if (!(await hasRefused(db.read, above))) return
      throw invalidRequest([{ pointer: '/domain', detail: 'is kept by whoever runs this service' }])
    },
  }
}

function nameIn(text: string): string {
  const read = readDomainName(text, undefined)
  if (typeof read === 'string') throw new Problem('invalid_request', `the name ${read}`)
  return read.name
}
