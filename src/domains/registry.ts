import type { Database } from '../db/database.ts'
import { invalidRequest, Problem } from '../http/problem.ts'
import { hashToken, newToken } from '../lib/token.ts'
import { MAX_CLAIMED_NAME, MAX_CLAIMS, newClaim, type Claim } from './claim.ts'
import { insertClaim, trimClaims } from './claim-store.ts'
import type { DnsFault } from './dns.ts'
import { nextLookForClaim, type Domain } from './domain.ts'
import type { KnownDomains } from './known.ts'
import { MAX_ACTIVE } from './look.ts'
import { readDomainName, type DomainName } from './name.ts'
import { countActive, deleteDomain, findDomain, hastenCheck, insertDomain } from './store.ts'

/** What a registration is answered with. */
export interface Registered {
  domain: Domain
  /** Told this once; absent when the name was registered already. */
  token?: string
  /** What must stand in the name's DNS before the token is the name's. */
  claim?: Claim
}

/** Which names are registered, and who may remove them. */
export interface Registry {
  /**
   * Registers a name, which begins as pending; its token is told this once. A name that is registered already is
   * answered as it stands, without a token.
   * @throws {Problem} 400 for what cannot be registered, 409 when its domain has too many active names
   */
  register: (text: string) => Promise<Registered>
  /**
   * Registers a name with a claim to it, or claims one that is registered: the claim's token becomes the name's once
   * its proof stands in the DNS, and the earlier one ends then.
   * @throws {Problem} as registering does
   */
  claim: (text: string) => Promise<Registered>
  /** The name as it stands. @throws {Problem} 404 */
  find: (text: string) => Promise<Domain>
  /** @throws {Problem} 404 for an unknown name, or one that has another token */
  remove: (text: string, token: string) => Promise<Domain>
  /** Removes a name for whoever runs the service. @throws {Problem} 404 */
  evict: (text: string) => Promise<Domain>
}

interface RegistryDeps {
  db: Database
  /** The service's own host; undefined while it has none that others can reach. */
  host: string | undefined
  known: KnownDomains
  now: () => number
  /** Why the name cannot lead here whatever its DNS says. */
  standingFault: (name: DomainName) => DnsFault | undefined
  /** Throws for a name that the operator keeps. */
  checkRefused: (name: string) => Promise<void>
  /** Called with a name that was just registered. */
  onNew: (domain: Domain) => void
}

export function createRegistry(deps: RegistryDeps): Registry {
  const { db, host, known, now, standingFault, onNew } = deps
  async function findNamed(text: string, own: string | undefined): Promise<Domain> {
    const read = readDomainName(text, own)
    const domain = typeof read === 'string' ? undefined : await findDomain(db.read, read.name)
    if (domain === undefined) throw new Problem('unknown_domain', 'no domain of this name is registered')
    return domain
  }

  const find = (text: string) => findNamed(text, host)

  async function removeFound(domain: Domain): Promise<Domain> {
    await deleteDomain(db.write, domain.name)
    known.note(domain.name, undefined)
    return domain
  }

  /** Adds the name unless it is there. */
  async function add(read: DomainName, token: string, claim?: Claim): Promise<Registered | undefined> {
    const domain = newDomain(read, hashToken(token), standingFault(read), now())
    const isNew = await db.transaction(async (transaction) => {
      const isNew = await insertDomain(transaction, domain)
      if (claim === undefined) return isNew
      await insertClaim(transaction, claim)
      await trimClaims(transaction, read.name, MAX_CLAIMS)
      if (!isNew) await hastenCheck(transaction, read.name, nextLookForClaim(now(), now()))
      return isNew
    })
    if (!isNew) return undefined
    known.note(domain.name, domain.status)
    onNew(domain)
    return { domain, token, ...(claim && { claim }) }
  }

  return {
    find,
    async register(text) {
      const read = await readNew(deps, text)
      const present = await findDomain(db.read, read.name)
      if (present !== undefined) return { domain: present }
      await admit(db, read)
      return (await add(read, newToken())) ?? { domain: await find(read.name) }
    },
    async claim(text) {
      const read = await readNew(deps, text)
      if (read.name.length > MAX_CLAIMED_NAME) {
        const detail = `must be at most ${MAX_CLAIMED_NAME} characters long when it is encoded, to be claimed`
        throw invalidRequest([{ pointer: '/domain', detail }])
      }
      if ((await findDomain(db.read, read.name)) === undefined) await admit(db, read)
      const token = newToken()
      const claim = newClaim(read.name, hashToken(token), now())
      return (await add(read, token, claim)) ?? { domain: await find(read.name), token, claim }
    },
    async remove(text, token) {
      const domain = await find(text)
      if (domain.tokenHash === hashToken(token)) return removeFound(domain)
      throw new Problem('unknown_domain', 'the token is not that of this domain')
    },
    // Also what was registered before it became the service's own.
    evict: async (text) => removeFound(await findNamed(text, undefined)),
  }
}

async function readNew({ host, checkRefused }: RegistryDeps, text: string): Promise<DomainName> {
  const read = readDomainName(text, host)
  if (typeof read === 'string') throw invalidRequest([{ pointer: '/domain', detail: read }])
  await checkRefused(read.name)
  return read
}

async function admit(db: Database, { registrable }: DomainName): Promise<void> {
  // Names that are only pending count for nothing, or anyone could use up what belongs to another.
  if ((await countActive(db.read, registrable)) < MAX_ACTIVE) return
  throw new Problem('too_many_domains', `${MAX_ACTIVE} names under ${registrable} are active already`)
}

function newDomain(read: DomainName, tokenHash: string, fault: DnsFault | undefined, now: number): Domain {
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
    fault,
    claimedAt: undefined,
  }
}
