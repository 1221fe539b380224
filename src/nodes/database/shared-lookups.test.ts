import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDatabase } from '../../../test/support/drivers.ts'
import { undoLater } from '../../../test/support/cleanup.ts'
import { urlOf } from '../../../test/support/postgres.ts'
import { requireProgram } from '../../../test/support/programs.ts'
import type { Database } from '../../db/database.ts'
import { createKysely } from '../../db/sqlite/dialect.ts'
import { openPostgres } from './database.ts'
import { createPrepareSharedRead } from './shared-lookups.ts'

function lookUpCodes({ prepareRead }: Pick<Database, 'prepareRead'>) {
  const lookUp = prepareRead<[code: string]>((db, key) =>
    db.selectFrom('codes').select('code_key').where('code_key', '=', key),
  )
  return (key: string) => Promise.resolve(lookUp(key))
}

/** A Kysely on a connection that counts the keys of each query, and finds all that do not begin with "no". */
function countingKysely(fail: () => boolean) {
  const sizes: number[] = []
  const kysely = createKysely({
    acquire: async () => ({
      async executeQuery({ parameters: [keys] }) {
        sizes.push((keys as string[]).length)
        if (fail()) throw new Error('the connection was lost')
        const found = (keys as string[]).filter((key) => !key.startsWith('no'))
        return { rows: found.map((key) => ({ key, code: `of ${key}` })) as never[] }
      },
      streamQuery: () => assert.fail('nothing is streamed'),
    }),
    release: async () => {},
  })
  return { sizes, kysely }
}

test('look-ups that begin in one iteration are one query, at most of 100 keys, and each gets its own row', async () => {
  const { sizes, kysely } = countingKysely(() => false)
  const lookUp = lookUpCodes({ prepareRead: createPrepareSharedRead(kysely) })
  const keys = Array.from({ length: 250 }, (_, at) => (at % 3 === 0 ? `no ${at}` : `key ${at}`))
  const found = await Promise.all([...keys, ...keys].map((key) => lookUp(key)))
  assert.deepEqual(
    found,
    [...keys, ...keys].map((key) => (key.startsWith('no') ? undefined : [`of ${key}`])),
  )
  // The second time, the first 200 keys wait no longer.
  assert.deepEqual(sizes, [100, 100, 100, 100, 100])
  assert.deepEqual(await lookUp('alone'), ['of alone'])
  assert.deepEqual(sizes.slice(5), [1])
})

test('all look-ups of a query that fails reject, and later ones succeed', async () => {
  let isFailing = true
  const { kysely } = countingKysely(() => isFailing)
  const lookUp = lookUpCodes({ prepareRead: createPrepareSharedRead(kysely) })
  const settled = await Promise.allSettled(['a', 'b', 'c'].map((key) => lookUp(key)))
  assert.deepEqual(
    settled.map(({ status }) => status),
    ['rejected', 'rejected', 'rejected'],
  )
  isFailing = false
  assert.deepEqual(await lookUp('a'), ['of a'])
})

test('PostgreSQL finds what each of many look-ups names, whatever is in the key', async (t) => {
  if (!requireProgram(t, 'initdb', 'postgresql')) return
  const db = await openPostgres({ url: urlOf(await createDatabase()), max: 2 }, Date.now)
  undoLater(t, () => db.close())
  const codes = ['menu', '$1', "quote'", 'back\\slash', '{brace,comma}', '"', 'ünïcode', 'null', '']
  await db.write
    .insertInto('codes')
    .values(codes.map((code) => ({ code_key: code })))
    .execute()
  const lookUp = lookUpCodes(db)
  const keys = [...codes, 'missing', 'MENU']
  assert.deepEqual(
    await Promise.all(keys.map((key) => lookUp(key))),
    keys.map((key) => (codes.includes(key) ? [key] : undefined)),
  )
})
