import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import type { OperatorOperations } from '../operator/socket.ts'
import type { Database } from '../db/database.ts'
import type { Metric } from '../http/metric.ts'
import { Problem } from '../http/problem.ts'
import { hashToken, isToken } from '../lib/token.ts'
import { keyOperations } from './operator.ts'
import { findUse, updateUse } from './store.ts'

/** Who may create links and domains: anyone, who has a key, or nobody. */
export type CreateMode = 'open' | 'token' | 'closed'

/** Decides who may create links and domains. */
export interface CreationGate {
  mode: CreateMode
  /**
   * Requires that whoever has this key may create.
   * @throws {Problem} 401 for a missing or unknown key where one is needed, 403 where nothing can be created, 429 when the
   * client has sent too many unknown ones
   */
  require: (request: FastifyRequest, reply: FastifyReply, key: string | undefined) => Promise<void>
  /** A hook that requires it of the key in `Authorization: Bearer …`, before the body is read. */
  requireHeader: onRequestAsyncHookHandler
}

export interface Keys extends CreationGate {
  operations: OperatorOperations
  metrics: Metric[]
}

/** What the gate needs of the rest of the program. */
export interface KeysNeeds {
  db: Database
  mode: CreateMode
  /** Charges an unknown key; resolves to the problem to send instead when the quota is used up. */
  chargeNotFound: (request: FastifyRequest, reply: FastifyReply) => Promise<Problem | undefined>
  now: () => number
}

/**
 * Each creation looks its key up in the store, by its hash: a removed key is refused by every node from then on, and no
 * comparison takes longer for a key that is nearly right.
 */
export function openKeys({ db, mode, chargeNotFound, now }: KeysNeeds): Keys {
  let refused = 0
  const refuse = (problem: Problem) => {
    refused++
    return problem
  }
  const require: CreationGate['require'] = async (request, reply, key) => {
    if (mode === 'open') return
    if (mode === 'closed') throw refuse(new Problem('creation_closed', 'this service creates no links and no domains'))
    if (key === undefined || key === '') throw refuse(keyProblem('the access code of this service is missing', ''))
    const hash = hashToken(key)
    const usedOn = isToken(key) ? await findUse(db.read, hash) : undefined
    if (usedOn === undefined) {
      const unknown = keyProblem('this is no access code of this service', ', error="invalid_token"')
      throw refuse((await chargeNotFound(request, reply)) ?? unknown)
    }
    const today = new Date(now()).toISOString().slice(0, 10)
    if (usedOn !== today) await db.transaction((transaction) => updateUse(transaction, hash, today))
  }
  return {
    mode,
    require,
    requireHeader: (request, reply) =>
      require(request, reply, /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1]),
    operations: keyOperations(db, now, mode),
    metrics: [
      {
        name: 'quirl_creations_refused_total',
        help: 'Creations refused by CREATE: without an access code, with an unknown one, or because creation is closed.',
        type: 'counter',
        read: () => refused,
      },
    ],
  }
}

/** RFC 6750, 3: no error code for a request without credentials. */
function keyProblem(what: string, error: string): Problem {
  const detail = `${what}: creation needs it, as "Authorization: Bearer …" or in the form`
  return new Problem('key_required', detail, { headers: { 'www-authenticate': `Bearer realm="quirl"${error}` } })
}
