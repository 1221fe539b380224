import assert from 'node:assert/strict'
import { test } from 'node:test'
import { command } from './support/cli.ts'
import { temporaryFolder } from './support/cleanup.ts'
import { filesBelow } from './support/files.ts'
import { start } from './support/program.ts'
import { create, visit } from './support/server.ts'

test('a fresh installation knows cities, and "quirl places" shows their source', async (t) => {
  const service = await start(t, temporaryFolder(t), ['--trust-proxy=127.0.0.0/8'])
  const link = await create(service, { target: 'https://example.com/' })
  await visit(`${service.url}/${link.code}`, { 'x-forwarded-for': '129.132.19.216', 'user-agent': 'x' })
  const stats = await (await fetch(`${service.url}/api/manage/${link.token}/stats`)).json()
  const { breakdowns } = stats as { breakdowns: Record<string, { value: string; country: string }[]> }
  assert.deepEqual(
    breakdowns['city']?.map(({ value, country }) => [value, country]),
    [['Zurich', 'CH']],
  )

  const shown = await command(service.dataDir, 'places')
  assert.equal(shown.status, 0, shown.stderr)
  assert.match(shown.stdout, /^bundled +city ipv4 +2026-06-05 +134\.\d MB +- +good$/m)
  assert.match(shown.stdout, /^bundled +\S.* +20\d\d-\d\d-\d\d +7\.8 MB +- +good$/m)
})

test('"quirl places" looks up an address and does not store it', async (t) => {
  const service = await start(t)
  const found = await command(service.dataDir, 'places', '18.9.22.69')
  assert.deepEqual([found.status, found.stdout.trim()], [0, 'country US, city Cambridge, MA'])
  const unknown = await command(service.dataDir, 'places', '10.0.0.1')
  assert.equal(unknown.stdout.trim(), 'country unknown, city unknown')
  for (const words of [['here'], ['1.2.3'], ['5.5.5.5', '6.6.6.6']]) {
    const refused = await command(service.dataDir, 'places', ...words)
    assert.equal(refused.status, 1)
    assert.match(refused.stderr, /^quirl: (?:that is not an IP address|give one address)\n$/)
  }
  for (const { name, bytes } of filesBelow(service.dataDir)) {
    assert.ok(!bytes.includes('18.9.22.69') && !bytes.includes(Buffer.from([18, 9, 22, 69])), name)
  }
  assert.doesNotMatch(service.output(), /18\.9\.22\.69/)
})

test('with GEOIP_DB=off "quirl places" finds no place', async (t) => {
  const service = await start(t, temporaryFolder(t), ['--geoip-db=off'])
  assert.match((await command(service.dataDir, 'places')).stdout, /^GEOIP_DB=off/)
  assert.match((await command(service.dataDir, 'places', '18.9.22.69')).stdout, /^country unknown, city unknown/)
})
