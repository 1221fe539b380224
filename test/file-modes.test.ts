// Who can read the files that the service and the commands create.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from './support/cleanup.ts'
import { exitOf, program, start } from './support/program.ts'
import { create, visit } from './support/server.ts'

test('no command creates a file that others can read, in the data folder or beside it, and a lock that they could read is closed to them', async (t) => {
  if (process.platform === 'win32') return t.skip('its files have no such modes')
  const above = temporaryFolder(t)
  const [folder, home] = [join(above, 'data'), join(above, 'home')]
  const service = await start(t, folder)
  const link = await create(service, { target: 'https://example.com/' })
  await visit(`${service.url}/${link.code}`)
  const rows = join(above, 'rows.csv')
  writeFileSync(rows, 'target,alias\nhttps://example.com/1,one\n')
  const given = new Set([above, rows])
  // Only the user of the test may enter its folder: what counts is what the files themselves say.
  const quirl = (...args: string[]) => {
    const env = { ...process.env, XDG_CONFIG_HOME: home, DATA_DIR: folder }
    const words = [process.execPath, program, ...args]
    const ran = spawnSync('sh', ['-c', 'umask 022; exec "$0" "$@"', ...words], { cwd: above, env, encoding: 'utf8' })
    assert.equal(ran.status, 0, `${args.join(' ')}: ${ran.stdout}${ran.stderr}`)
  }
  quirl('import', rows, '--from=csv')
  quirl('keys', 'add', 'office')
  quirl('links', 'export', join(above, 'links.csv'))
  quirl('export', `${service.url}/m/${link.token}`, `--out=${join(above, 'scans.csv')}`)
  quirl('export', `${service.url}/m/${link.token}`, '--bundle', `--out=${join(above, 'link.zip')}`)
  quirl('shorten', 'https://example.com/', '--keep', `--server=${service.url}`)
  quirl('backup', join(above, 'backup'))
  const readable = () =>
    readdirSync(above, { recursive: true, encoding: 'utf8' })
      .map((name) => join(above, name))
      .filter((path) => !given.has(path) && ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0)
  assert.deepEqual(readable(), [])

  // As earlier versions have left it.
  chmodSync(join(folder, 'import.lock'), 0o644)
  writeFileSync(rows, 'target,alias\nhttps://example.com/2,two\n')
  quirl('import', rows, '--from=csv', `--keys=${join(above, 'more.csv')}`)
  assert.deepEqual(readable(), [])

  service.process.kill('SIGTERM')
  await exitOf(service)
  quirl('verify')
  quirl('restore', join(above, 'backup'), `--data-dir=${join(above, 'restored')}`)
  assert.deepEqual(readable(), [])
})
