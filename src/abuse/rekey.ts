import type { OperatorOperations } from '../operator/socket.ts'
import { Problem } from '../http/problem.ts'
import { hashToken, newToken } from '../lib/token.ts'
import { replaceToken } from '../links/token-look-up.ts'
import { readCode, readReason, requireLink, type CodeDeps } from './operator.ts'
import { insertAudit } from './store.ts'

/** The result of `rekey`. The token is in no other response: only its hash is stored. */
export interface Rekeyed {
  code: string
  token: string
  manage_url: string
}

/**
 * The operation of `quirl rekey`: a new token for a link whose owner has lost the old one, which works until the new one is first
 * used, but no longer than an hour. The owner's page says that the operator has given it out.
 */
export function rekeyOperations(deps: CodeDeps & { origin: () => string }): OperatorOperations {
  const { db, now, origin } = deps
  return {
    async rekey(input): Promise<Rekeyed> {
      const reason = readReason(input)
      const { id, code } = await requireLink(deps, readCode(deps, input))
      const token = newToken()
      const isDone = await db.urgent('operator', async (transaction) => {
        const at = now()
        if (!(await replaceToken(transaction, id, { nextHash: hashToken(token), now: at }))) return false
        await insertAudit(transaction, { at, action: 'rekey', subject: code, source: 'operator', reason })
        return true
      })
      if (!isDone) throw new Problem('code_gone', `the link ${code} was deleted by its owner`)
      return { code, token, manage_url: `${origin()}/m/${token}` }
    },
  }
}
