import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { StartError } from '../lib/start-error.ts'
import { temporaryFolder, undoLater } from '../../test/support/cleanup.ts'
import type { Database } from './database.ts'
import type { IntegrityReport } from './sqlite/integrity.ts'
import { openDatabase } from './open.ts'
import { LOCKS } from './lock.ts'

const NOBODY = 65_534

const startError = (pattern: RegExp) => (error: unknown) => {
  assert.ok(error instanceof StartError, String(error))
  assert.match(error.message, pattern)
  assert.doesNotMatch(error.message, /\n/)
  return true
}

async function makeStore(t: TestContext): Promise<string> {
  const folder = temporaryFolder(t)
  await (await openDatabase(folder, Date.now)).close()
  return folder
}

async function codesOf(db: Database): Promise<string[]> {
  const rows = await db.read.selectFrom('codes').select('code_key').execute()
  return rows.map((row) => row.code_key)
}

/** Opens a store in a separate process, as another user and under a shell's limits. */
function openElsewhere(folder: string, limits = 'true', uid = process.getuid?.()): { output: string } {
  const script = `
    const { openDatabase } = await import(${JSON.stringify(new URL('open.ts', import.meta.url).href)})
    try { await (await openDatabase(process.argv[1], Date.now)).close(); console.log('opened') }
    catch (error) { console.log(error.constructor.name + ': ' + error.message) }`
  const command = `${limits}; exec "$0" --input-type=module -e "$1" "$2"`
  const result = spawnSync('sh', ['-c', command, process.execPath, script, folder], { uid: uid ?? 0, encoding: 'utf8' })
  return { output: result.stdout + result.stderr }
}

test('a missing data folder is created, for its owner only, and opened again with its data', async (t) => {
  const folder = join(temporaryFolder(t), 'deep', 'data')
  const first = await openDatabase(folder, () => 1)
  await first.write.insertInto('codes').values({ code_key: 'abc' }).execute()
  assert.deepEqual(await codesOf(first), ['abc'])
  await first.close()
  const second = await openDatabase(folder, () => 1)
  undoLater(t, () => second.close())
  assert.deepEqual(await codesOf(second), ['abc'])
  assert.equal(statSync(folder).mode & 0o777, 0o700)
})

test('a second process cannot open a folder in use, and can after the first was killed', async (t) => {
  const folder = temporaryFolder(t)
  const script = `
    const { openDatabase } = await import(${JSON.stringify(new URL('open.ts', import.meta.url).href)})
    await openDatabase(process.argv[1], Date.now); console.log('open'); setInterval(() => {}, 1000)`
  const holder = spawn(process.execPath, ['--input-type=module', '-e', script, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  undoLater(t, () => void holder.kill('SIGKILL'))
  await once(holder.stdout, 'data')
  await assert.rejects(openDatabase(folder, Date.now), startError(/another quirl is using DATA_DIR=/))
  holder.kill('SIGKILL')
  await once(holder, 'exit')
  await (await openDatabase(folder, Date.now)).close()
})

test('the same folder cannot be opened twice in one process either', async (t) => {
  const folder = temporaryFolder(t)
  const first = await openDatabase(folder, Date.now)
  await assert.rejects(openDatabase(folder, Date.now), startError(/another quirl/))
  await first.close()
  await (await openDatabase(folder, Date.now)).close()
})

test('a damaged or foreign file is rejected and not changed', async (t) => {
  const whole = readFileSync(join(await makeStore(t), 'links.db'))
  const overwritten = Buffer.from(whole)
  overwritten.fill(0xaa, 100, 4096)
  const damaged = {
    text: Buffer.from('this is no database, but it is longer than a header of SQLite would be, for sure.'.repeat(9)),
    overwritten,
  }
  for (const [name, bytes] of Object.entries(damaged)) {
    const folder = temporaryFolder(t)
    writeFileSync(join(folder, 'links.db'), bytes)
    await assert.rejects(
      openDatabase(folder, Date.now),
      startError(/links\.db is damaged or not a quirl database/),
      name,
    )
    assert.deepEqual(readFileSync(join(folder, 'links.db')), bytes)
  }
})

test('the error of a folder that cannot be created names it', async (t) => {
  const file = join(temporaryFolder(t), 'file')
  writeFileSync(file, '')
  await assert.rejects(
    openDatabase(join(file, 'data'), Date.now),
    startError(/DATA_DIR=.*file\/data cannot be created: ENOTDIR/),
  )
})

test('a read-only folder or database is rejected with a clear error', async (t) => {
  if (process.getuid?.() !== 0) return t.skip('needs root, to become another user')
  const folder = await makeStore(t)
  assert.match(openElsewhere(folder, 'true', NOBODY).output, /StartError: DATA_DIR=.* cannot be written/)
  // The folder belongs to the process, the database in it to another user.
  chmodSync(folder, 0o777)
  for (const name of LOCKS) chmodSync(join(folder, name), 0o666)
  const before = readFileSync(join(folder, 'links.db'))
  assert.match(openElsewhere(folder, 'true', NOBODY).output, /StartError: .*links\.db cannot be written/)
  assert.deepEqual(readFileSync(join(folder, 'links.db')), before)
})

test('a full disk is rejected with a clear error, and leaves nothing that breaks a later start', async (t) => {
  const folder = join(temporaryFolder(t), 'data')
  mkdirSync(folder)
  // The kernel refuses every write past two blocks, as a full disk does.
  const { output } = openElsewhere(folder, 'ulimit -f 2')
  assert.match(output, /StartError: .*links\.db cannot be written/)
  await (await openDatabase(folder, Date.now)).close()
  assert.ok(readdirSync(folder).includes('links.db'))
})

test('changed files are reported by each start until one has served', async (t) => {
  const folder = await makeStore(t)
  mkdirSync(join(folder, 'visitors'))
  const file = join(folder, 'visitors', '2026-01-01.salt')
  writeFileSync(file, 'salt')
  const start = async (hasServed: boolean) => {
    let found: string[] = []
    const onIntegrity = ({ changed }: IntegrityReport) => (found = Object.keys(changed))
    await (await openDatabase(folder, Date.now, { onIntegrity, hasServed: () => hasServed })).close()
    return found
  }
  assert.deepEqual(await start(true), [])
  writeFileSync(file, 'other')
  for (const hasServed of [false, false, true]) assert.deepEqual(await start(hasServed), ['visitors/2026-01-01.salt'])
  assert.deepEqual(await start(true), [])
})
