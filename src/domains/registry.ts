import type { Database } from '../db/database.ts'
import { invalidRequest, Problem } from '../http/problem.ts'
import { hashToken, newToken } from '../lib/token.ts'
import { MAX_CLAIMED_NAME, MAX_CLAIMS, newClaim, type Claim } from './claim.ts'
import { insertClaim, trimClaims } from './claim-store.ts'
import type { DnsFault } from './dns-fault.ts'
import { nextClaimCheckAt, type Domain } from './domain.ts'
import type { StatusCache } from './status-cache.ts'
import { MAX_ACTIVE } from './check-domain.ts'
import { readDomainName, type DomainName } from './name.ts'
import { countActive, deleteDomain, findDomain, advanceCheck, insertDomain } from './store.ts'
import { giveWay, registrantOf } from './waiting-names.ts'
import type { Holder } from '../lib/holder.ts'

/** The result of a registration. */
export interface Registered {
  domain: Domain
  /** Only returned once; absent when the name was already registered. */
  token?: string
  /** The claim whose proof must be in the DNS before the token is valid for the name. */
  claim?: Claim
}

/** The registrations of custom domains. */
export interface Registry {
  /**
   * Registers a name, which is pending at first. The token is only returned once: a name that is already registered is
   * returned without it.
   * @param holder who registers it; a name that does not lead here may give way to it
   * @throws {Problem} 400 for an invalid or refused name, 409 when its domain has too many active names, or who registers it too many
   * that do not lead here
   */
  register: (text: string, holder?: Holder) => Promise<Registered>
  /**
   * Claims a name, and registers it if necessary. Once the proof is in the DNS, the claim's token replaces the earlier
   * one. How many names are active does not matter: strangers may have made them so.
   * @throws {Problem} 400 for an invalid or refused name, 409 for one that is to be registered by who has too many that do not lead
   * here
   */
  claim: (text: string, holder?: Holder) => Promise<Registered>
  /** @throws {Problem} 404 */
  find: (text: string) => Promise<Domain>
  /** @throws {Problem} 404 for an unknown name or a wrong token */
  remove: (text: string, token: string) => Promise<Domain>
  /** Removes a name without its token. @throws {Problem} 404 */
  removeAsOperator: (text: string) => Promise<Domain>
}

interface RegistryDeps {
  db: Database
  /** The service's own host; undefined while others cannot reach it. */
  host: string | undefined
  statuses: StatusCache
  now: () => number
  /** The fault of a name that does not depend on its DNS. */
  staticFault: (name: DomainName) => DnsFault | undefined
  /** Throws for a name that the operator refuses. */
  checkRefused: (name: string) => Promise<void>
  /** What is stored of who registers a name: no address can be found from it. */
  digestOf: (text: string) => string
  /** Called with each new registration. */
  onNew: (domain: Domain) => void
}

export function createRegistry(deps: RegistryDeps): Registry {
  const { db, host, statuses, now } = deps
  const find = (text: string) => findNamed(db, text, host)

  async function remove(domain: Domain): Promise<Domain> {
    await db.transaction((transaction) => deleteDomain(transaction, domain.name))
    statuses.set(domain.name, undefined)
    return domain
  }

  return {
    find,
    async register(text, holder) {
      const name = await parseName(deps, text)
      const present = await findDomain(db.read, name.name)
      if (present !== undefined) return { domain: present }
      await checkActiveLimit(db, name)
      return (await insert(deps, { name, token: newToken(), holder })) ?? { domain: await find(name.name) }
    },
    async claim(text, holder) {
      const name = await parseName(deps, text)
      if (name.name.length > MAX_CLAIMED_NAME) {
        const detail = `must be at most ${MAX_CLAIMED_NAME} characters long when it is encoded, to be claimed`
        throw invalidRequest([{ pointer: '/domain', detail }])
      }
      const token = newToken()
      const claim = newClaim(name.name, hashToken(token), now())
      return (await insert(deps, { name, token, claim, holder })) ?? { domain: await find(name.name), token, claim }
    },
    async remove(text, token) {
      const domain = await find(text)
      if (domain.tokenHash === hashToken(token)) return remove(domain)
      throw new Problem('unknown_domain', 'the token is not that of this domain')
    },
    // Includes names that have become the service's own since their registration.
    removeAsOperator: async (text) => remove(await findNamed(db, text, undefined)),
  }
}

async function findNamed(db: Database, text: string, own: string | undefined): Promise<Domain> {
  const name = readDomainName(text, own)
  const domain = typeof name === 'string' ? undefined : await findDomain(db.read, name.name)
  if (domain === undefined) throw new Problem('unknown_domain', 'no domain of this name is registered')
  return domain
}

async function parseName({ host, checkRefused }: RegistryDeps, text: string): Promise<DomainName> {
  const name = readDomainName(text, host)
  if (typeof name === 'string') throw invalidRequest([{ pointer: '/domain', detail: name }])
  await checkRefused(name.name)
  return name
}

async function checkActiveLimit(db: Database, { registrable }: DomainName): Promise<void> {
  // Pending names do not count: otherwise anyone could use up the limit of another owner.
  if ((await countActive(db.read, registrable)) < MAX_ACTIVE) return
  const detail = `${MAX_ACTIVE} names under ${registrable} are already active: remove one of them, or claim this one`
  throw new Problem('too_many_domains', detail)
}

interface Registration {
  name: DomainName
  token: string
  claim?: Claim
  /** Who registers it. */
  holder: Holder | undefined
}

/** Inserts the claim, and the name unless it exists: then the result is undefined. */
async function insert(
  { db, statuses, now, staticFault, digestOf, onNew }: RegistryDeps,
  { name, token, claim, holder }: Registration,
): Promise<Registered | undefined> {
  const domain = newDomain(name, hashToken(token), staticFault(name), now())
  const from = holder && registrantOf(holder, digestOf)
  let gone: string | undefined
  const isNew = await db.transaction(async (transaction) => {
    const isNew = await insertDomain(transaction, domain, from)
    if (isNew && from !== undefined) gone = await giveWay(transaction, from)
    if (claim === undefined) return isNew
    await insertClaim(transaction, claim)
    await trimClaims(transaction, domain.name, MAX_CLAIMS)
    if (!isNew) await advanceCheck(transaction, domain.name, nextClaimCheckAt(now(), now()))
    return isNew
  })
  if (!isNew) return undefined
  if (gone !== undefined) statuses.set(gone, undefined)
  statuses.set(domain.name, domain.status)
  onNew(domain)
  return { domain, token, ...(claim && { claim }) }
}

function newDomain(name: DomainName, tokenHash: string, fault: DnsFault | undefined, now: number): Domain {
  return {
    ...name,
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
    proofWanted: true,
  }
}
