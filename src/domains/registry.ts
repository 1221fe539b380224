import type { Database } from '../db/database.ts'
import { invalidRequest, Problem } from '../http/problem.ts'
import { hashToken, newToken } from '../links/token.ts'
import { MAX_ACTIVE } from './checks.ts'
import type { Domain } from './domain.ts'
import type { KnownDomains } from './known.ts'
import { readDomainName } from './name.ts'
import { countActive, deleteDomain, findDomain, insertDomain } from './store.ts'

/** Which names are registered, and who may remove them. */
export interface Registry {
  /**
   * Registers a name, which begins as pending; its token is told this once. A name that is registered already is
   * answered as it stands, without a token.
   * @throws {Problem} 400 for what cannot be registered, 409 when its domain has too many active names
   */
  register: (text: string) => Promise<{ domain: Domain; token?: string }>
  /** The name as it stands. @throws {Problem} 404 */
  find: (text: string) => Promise<Domain>
  /** @throws {Problem} 404 for an unknown name, or one that has another token */
  remove: (text: string, token: string) => Promise<Domain>
  /** Removes a name for whoever runs the service. @throws {Problem} 404 */
  evict: (text: string) => Promise<Domain>
}

interface RegistryDeps {
  db: Database
  host: string
  known: KnownDomains
  now: () => number
  /** Called with a name that was just registered. */
  onNew: (domain: Domain) => void
}

export function createRegistry({ db, host, known, now, onNew }: RegistryDeps): Registry {
  async function find(text: string): Promise<Domain> {
    const read = readDomainName(text, host)
    const domain = typeof read === 'string' ? undefined : await findDomain(db.read, read.name)
    if (domain === undefined) throw new Problem('unknown_domain', 'no domain of this name is registered')
    return domain
  }

  async function removeFound(domain: Domain): Promise<Domain> {
    await deleteDomain(db.write, domain.name)
    known.note(domain.name, undefined)
    return domain
  }

  return {
    find,
    async register(text) {
      const read = readDomainName(text, host)
      if (typeof read === 'string') throw invalidRequest([{ pointer: '/domain', detail: read }])
      const present = await findDomain(db.read, read.name)
      if (present !== undefined) return { domain: present }
      // Names that are only pending count for nothing, or anyone could use up what belongs to another.
      if ((await countActive(db.read, read.registrable)) >= MAX_ACTIVE) {
        throw new Problem('too_many_domains', `${MAX_ACTIVE} names under ${read.registrable} are active already`)
      }
      const token = newToken()
      const domain = newDomain(read, hashToken(token), now())
      if (!(await insertDomain(db.write, domain))) return { domain: await find(read.name) }
      known.note(domain.name, domain.status)
      onNew(domain)
      return { domain, token }
    },
    async remove(text, token) {
      const domain = await find(text)
      if (domain.tokenHash === hashToken(token)) return removeFound(domain)
      throw new Problem('unknown_domain', 'the token is not that of this domain')
    },
    evict: async (text) => removeFound(await find(text)),
  }
}

function newDomain(read: { name: string; registrable: string }, tokenHash: string, now: number): Domain {
  return {
    ...read,
    tokenHash,
    status: 'pending',
    statusSince: now,
    createdAt: now,
    updatedAt: now,
    checkedAt: undefined,
    nextCheckAt: now,
    failures: 0,
    failingSince: undefined,
    fault: undefined,
  }
}
