// `npm run test:stores`: runs tests of the API on other kinds of servers than SQLite, or on those that are given.
import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'

const files = [
  'abuse-pages',
  'abuse',
  'api',
  'authorisation',
  'bad-input',
  'bulk',
  'change-many',
  'change',
  'collection-bad-input',
  'collection-changes',
  'collection-lists',
  'collection-page',
  'collection-shares',
  'collection-spreadsheet',
  'collection-statistics',
  'collection-webhooks',
  'collections',
  'combinations',
  'contract',
  'domain-proofs',
  'domains',
  'events',
  'first-try',
  'history',
  'home',
  'looks',
  'many-stats',
  'model',
  'my-links',
  'openapi',
  'owner-page',
  'passwords',
  'print-sheets',
  'protected-rules',
  'qr-design',
  'removal',
  'rotation',
  'rules',
  'scans',
  'settings-page',
  'share-page',
  'shares',
  'site',
  'stats-filters',
  'streams',
  'try',
  'undelete',
  'visitor-pages',
  'visits',
  'webhooks',
].map((name) => `test/${name}.test.ts`)

/**
 * Tests of what one process counts in its memory, has in its folder, and does with the bytes of a connection, some of which a
 * balancer answers.
 */
const ofOneProcess = ['test/http.test.ts', 'test/limits.test.ts', 'test/lists.test.ts']

const root = resolve(import.meta.dirname, '..')
const given = process.argv.slice(2)
for (const store of given.length > 0 ? given : ['postgres', 'two-nodes']) {
  console.log(`On ${store}:`)
  const all = store === 'postgres' ? [...files, ...ofOneProcess] : files
  const env = { ...process.env, QUIRL_TEST_STORE: store }
  const { status } = spawnSync(process.execPath, ['test/run.ts', ...all], { cwd: root, env, stdio: 'inherit' })
  if (status !== 0) process.exitCode = 1
}
