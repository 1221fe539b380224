import type { OperatorOperations } from '../operator/socket.ts'
import type { Database } from '../db/database.ts'
import { invalidRequest, Problem } from '../http/problem.ts'
import { hashToken, newToken } from '../lib/token.ts'
import { deleteKey, insertKey, listKeys, type CreationKey } from './store.ts'

/** The result of `keys`. */
export interface KeysResult {
  keys: CreationKey[]
  /** The setting `CREATE`: keys are only asked for with `token`. */
  mode: string
}

/** The result of `add-key`. The key is in no other response: only its hash is stored. */
export interface AddedKey {
  name: string
  key: string
  mode: string
}

const MAX_KEYS = 1000
const MAX_NAME = 100

/** The operations of `quirl keys`. */
export function keyOperations(db: Database, now: () => number, mode: string): OperatorOperations {
  return {
    keys: async (): Promise<KeysResult> => ({ keys: await listKeys(db.read, MAX_KEYS), mode }),
    async 'add-key'(input): Promise<AddedKey> {
      const name = readKeyName(input)
      const key = newToken()
      const isAdded = await db.transaction(async (transaction) => {
        // Two of the last one would make one too many.
        await db.lock(transaction, 'creation keys')
        if ((await listKeys(transaction, MAX_KEYS)).length >= MAX_KEYS)
          throw new Problem(
            'invalid_request',
            `there are ${MAX_KEYS} access codes, which is the most: remove some first`,
          )
        return insertKey(transaction, hashToken(key), name, now())
      })
      if (!isAdded) throw new Problem('invalid_request', `there is an access code named ${name}: remove it first`)
      return { name, key, mode }
    },
    async 'remove-key'(input): Promise<{ name: string }> {
      const name = readKeyName(input)
      const isDeleted = await db.transaction((transaction) => deleteKey(transaction, name))
      if (!isDeleted) throw new Problem('not_found', `there is no access code named ${name}`)
      return { name }
    },
  }
}

function readKeyName({ name }: Record<string, unknown>): string {
  // It is a cell of a table on a terminal.
  const isName = typeof name === 'string' && name.length <= MAX_NAME && /^[\p{L}\p{N}][\p{L}\p{N} ._@-]*$/u.test(name)
  if (isName) return name
  const detail = `must be at most ${MAX_NAME} letters, digits, spaces, and . _ @ -, and begin with a letter or digit`
  throw invalidRequest([{ pointer: '/name', detail }])
}
