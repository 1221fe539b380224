import assert from 'node:assert/strict'
import { test } from 'node:test'
import { undoLater } from '../../../test/support/cleanup.ts'
import { createEmptyDatabase } from '../../../test/support/drivers.ts'
import { requireProgram } from '../../../test/support/programs.ts'
import { found, newLink, remove } from '../../../test/support/stored-links.ts'
import { migrate, migrations } from '../../db/migrate.ts'
import { connectPostgres, openPostgres } from './database.ts'
import { postgresMigrations } from './migrations.ts'
import { insertLink } from '../../links/create-store.ts'
import { findByCode } from '../../links/store.ts'

test('a code that an older version issued again while its link was deleted is free for the deletion of the newer link', async (t) => {
  if (!requireProgram(t, 'initdb', 'postgresql')) return
  const url = await createEmptyDatabase(t, 'older')
  const older = connectPostgres({ url, max: 1 })
  const step = migrations.findIndex(({ name }) => name === 'retired-codes-stay')
  await migrate(older.write, postgresMigrations, 'older', Date.now, migrations.slice(0, step))
  await older.write
    .insertInto('codes')
    .values([{ code_key: 'twice' }, { code_key: 'once' }])
    .execute()
  // The older version had no placements, which this one's insertion names.
  await older.write.schema.alterTable('links').addColumn('placements', 'text').execute()
  assert.equal(await insertLink(older, newLink('other')), true)
  await older.write.schema.alterTable('links').dropColumn('placements').execute()
  await older.write.updateTable('links').set({ code: 'twice', code_key: 'twice' }).execute()
  await older.close()

  const newer = await openPostgres({ url, max: 1 }, Date.now)
  undoLater(t, () => newer.close())
  assert.equal(await remove(newer, found(await findByCode(newer.read, 'twice'))), true)
  const codes = await newer.read.selectFrom('codes').selectAll().orderBy('code_key').execute()
  assert.deepEqual(codes, [{ code_key: 'once' }, { code_key: 'twice' }])
})
