import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../test/support/cleanup.ts'
import { settings } from '../config/config.ts'
import { readSettings } from '../config/sources.ts'
import type { CommandContext, CommandResult } from './command.ts'
import { config } from './config.ts'

async function check(args: string[], flags: object, env: Record<string, string>, dotEnv = '/nonexistent') {
  const set = readSettings(settings, flags as Record<string, string>, env, dotEnv)
  return (await config.run({ args, flags, set } as CommandContext)) as CommandResult
}

test('config check shows each value and where it comes from: a flag, the environment, .env, the default or nowhere', async (t) => {
  const dotEnv = join(temporaryFolder(t), '.env')
  writeFileSync(dotEnv, 'HOST=127.0.0.1\nPORT=1\nBASE_URl=https://x.example\n')
  const { text, status } = await check(['check'], { 'qr-marker': 'off' }, { PORT: '8080', CONTACT: '' }, dotEnv)
  for (const row of [
    /^QR_MARKER +flag +off$/m,
    /^PORT +environment +8080$/m,
    /^HOST +\.env +127\.0\.0\.1$/m,
    /^WEBHOOKS +default +on$/m,
    /^CONTACT +unset +-$/m,
    /^links +SQLite in \.\/data$/m,
    /^\.env also has, of which quirl reads nothing: BASE_URl$/m,
  ])
    assert.match(text, row)
  assert.equal(status, 0)
  assert.equal(
    text.split('\n').filter((line) => /^[A-Z_]+ +(?:flag|environment|\.env|default|unset) /.test(line)).length,
    Object.keys(settings).length,
  )
})

test('config check names every value that is not allowed, and exits with 1', async () => {
  const { text, status } = await check(['check'], {}, { PORT: 'abc', TRUST_PROXY: 'x', DATABASE_URL: 'mysql://u:pw@h' })
  assert.match(text, /^PORT +BAD +PORT=abc is not allowed: it must be a whole number/m)
  assert.match(text, /^TRUST_PROXY +BAD /m)
  assert.match(text, /^DATABASE_URL +BAD +DATABASE_URL=… is not allowed/m)
  assert.equal(status, 1)
})

test('config check says which store and which counts of limits are chosen, and shows no password', async () => {
  const env = {
    DATABASE_URL: 'postgres://quirl:hunter2@db.example.com/quirl?sslkey=hunter2',
    REDIS_URL: 'rediss://:hunter2@cache.example.com:6379/0',
  }
  for (const flags of [{}, { json: true }]) {
    const { text } = await check(['check'], flags, env)
    assert.ok(!text.includes('hunter2'))
    assert.match(text, /PostgreSQL at postgres:\/\/quirl:…@db\.example\.com\/quirl\?…; the journal in \.\/data/)
    assert.match(text, /in Redis or Valkey at rediss:\/\/:…@cache\.example\.com:6379\/0/)
  }
  const { text } = await check(['check'], { json: true }, env)
  const { settings: rows } = JSON.parse(text) as { settings: object[] }
  assert.deepEqual(rows[0], { name: 'PORT', value: '3000', source: 'default', fault: null })
})

test('config has one operation', async () => {
  for (const args of [[], ['show'], ['check', 'x']]) await assert.rejects(check(args, {}, {}), /"quirl config check"/)
})
