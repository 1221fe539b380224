import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { parseDocument as parseYaml } from 'yaml'
import { temporaryFolder, type Ending } from './support/cleanup.ts'
import { blocksOf, documentedBlocks, shellOf, type Block } from './support/doc-blocks.ts'
import { parseDocument } from './support/openapi.ts'
import { program } from './support/program.ts'
import { post, put, startServer, type Created } from './support/server.ts'
import { bundleWithoutVisits, makeArchive } from './support/zip.ts'

// What README.md and docs/*.md show is run, or a table says why it is not.

const run = promisify(execFile)
const root = join(import.meta.dirname, '..')
const blocks = documentedBlocks()
const isShell = ({ language }: Block) => language === 'sh' || language === 'console'

/** Shell blocks that are only checked by `bash -n`: the text that each contains, and why it does not run. */
const notRun: readonly [contains: string, reason: string][] = [
  ['npm ci && npm start', 'installs the packages that run this test'],
  ['npm ci && npm test', 'runs this test'],
  ['ABUSE_FEEDS=', 'an assignment for the environment file of the service'],
  ['GEOIP_DB=', 'an assignment for the environment file of the service'],
  ['npm install ./quirl', 'needs the packed program, which release.test.ts installs'],
  ['npm install --prefix', 'needs the packed program, which release.test.ts installs'],
  ['systemd-sysusers', 'needs systemd as root'],
  ['quirl-backup', 'needs systemd as root; deploy.test.ts runs the commands of the unit'],
  ['sudo -u quirl', 'needs the system user of the unit'],
  ['quirl certs', 'needs TLS=on; certificates.test.ts reads what it prints'],
  ['quirl doctor', 'asks the DNS and the public address; doctor.test.ts runs it'],
  ['docker ', 'needs Docker'],
  ['kubectl ', 'needs Kubernetes'],
  ['caddy run', 'needs ports 80 and 443; caddy.test.ts runs the file'],
  ['quirl serve --tls', 'needs ports 80 and 443 and a public domain; certificates.test.ts starts it'],
  ['db.example.com', 'needs PostgreSQL; nodes.test.ts and migrate.test.ts start these commands'],
  ['cache.example.com', 'needs Redis; shared-limits.test.ts starts it'],
  ['bench/peers/run.ts', 'needs a service of another project that runs already'],
  ['pg_dump', 'needs PostgreSQL'],
  ['shlink.example', 'asks a running Shlink; shlink-visits.test.ts imports what it answers'],
  ['/proc/', 'needs a service whose database was removed; replaced-files.test.ts runs it'],
  ['quirl restore', 'ends in a service that runs on; backup.test.ts runs both commands'],
  ['/stream\n', 'the last command is a stream that does not end; streams.test.ts reads it'],
]
const reasonOf = (block: Block) => notRun.find(([contains]) => shellOf(block).includes(contains))?.[1]

/** The code in the guide for operators. */
const REPORTED = 'k7dw3nq'

/** The operations whose responses the JSON blocks show, by page and heading, in their order; a reason if there is none. */
const shownAs: Readonly<Record<string, readonly (string | { reason: string })[]>> = {
  'docs/api.md Delete with a way back': ['delete /api/manage/{token} 200'],
  'docs/api.md Change many': ['post /api/manage 200'],
  'docs/api.md History': ['get /api/manage/{token}/history 200'],
  'docs/api.md Rotate the token': ['post /api/manage/{token}/rotate 200'],
  'docs/api.md Webhook': [
    { reason: 'one property of a response' },
    { reason: 'what the service sends, not a response' },
  ],
  'docs/api.md Statistics of many links': ['post /api/stats 200'],
  'docs/api.md Shares': ['post /api/manage/{token}/share 201', 'get /api/manage/{token}/shares 200'],
  'docs/api.md Collections': [
    'post /api/collections 201',
    'get /api/collections/{token} 200',
    'post /api/collections/{token}/links 200',
    { reason: 'what is not in the statistics of a link' },
  ],
  'docs/api.md Share a collection': ['post /api/collections/{token}/share 201'],
  'docs/api.md List the links': ['get /api/collections/{token}/links 200'],
  'docs/api.md Errors': ['post /api/links 400'],
  'docs/domains.md For the owner of a name': ['post /api/domains 201'],
  'docs/domains.md Claim a registered name': ['post /api/domains 200'],
  'docs/mcp.md Set it up': [{ reason: 'a file of MCP clients; mcp.test.ts starts what it names' }],
  'docs/my-links.md The file of My links': [{ reason: 'a file that browsers write' }],
}

/** Blocks in no language, which are a picture or an output. */
const plain = ['docs/api.md Password', 'docs/architecture.md']

/** Prints the token in a response. */
const tokenOf = `grep -o '"token":"[^"]*' | cut -d'"' -f4`

/** A running service, and the shell of a reader: each address of the guides leads to it. */
async function reader(t: Ending) {
  const service = await startServer(t, { BASE_URL: 'http://go.bakery.shop' })
  const folder = temporaryFolder(t)
  mkdirSync(join(folder, 'bin'))
  mkdirSync(join(folder, 'backups'))
  symlinkSync(program, join(folder, 'bin/quirl'))
  const hosts = ['localhost:3000', 'go.bakery.shop:80']
  // A response that is an error fails the command.
  const curl = [
    'fail-with-body',
    'silent',
    'show-error',
    ...hosts.map((host) => `connect-to = "${host}:127.0.0.1:${new URL(service.url).port}"`),
  ]
  writeFileSync(join(folder, '.curlrc'), `${curl.join('\n')}\n`)
  writeFileSync(join(folder, 'tables.csv'), 'target\nhttps://example.com/table\n')
  writeFileSync(join(folder, 'former.csv'), 'code,target\nformer,https://example.com/former\n')
  const link = { shortCode: 'from-shlink', shortUrl: 'https://s.example/from-shlink', longUrl: 'https://example.com/' }
  const visit = { date: '2026-01-02T03:04:05Z', userAgent: '', visitedUrl: link.shortUrl }
  writeFileSync(join(folder, 'links.json'), JSON.stringify({ shortUrls: { data: [link] } }))
  writeFileSync(join(folder, 'visits.json'), JSON.stringify({ visits: { data: [visit] } }))
  const files = Object.entries(bundleWithoutVisits('flyer')).map(([name, content]) => ({ name, content }))
  writeFileSync(join(folder, 'flyer.zip'), makeArchive(files))
  const env = {
    ...process.env,
    PATH: `${join(folder, 'bin')}:${process.env['PATH']}`,
    HOME: folder,
    CURL_HOME: folder,
    XDG_CONFIG_HOME: folder,
    DATA_DIR: service.dataDir,
  }
  const shell = (text: string, more: Record<string, string> = {}) => {
    const here = text
      // The token in the response to the first command, which a reader copies.
      .replace(
        /^(curl .*\n)(?=[^]*\$DOMAIN_TOKEN)/,
        (_, first: string) => `DOMAIN_TOKEN=$(${first.trim()} | ${tokenOf})\n`,
      )
      .replaceAll('npx quirl', 'quirl')
      .replaceAll(/(\$T\b[^]*localhost:3000\/menu)\b/g, '$1-with-password')
      .replaceAll('https://qr.example.com', service.url)
      .replaceAll('/var/lib/quirl', service.dataDir)
      .replaceAll('/backups', join(folder, 'backups'))
    return run('bash', ['-euo', 'pipefail', '-c', here], { cwd: folder, env: { ...env, ...more } })
  }
  const created = async (body: object) =>
    (await (await post(`${service.url}/api/links`, { target: 'https://example.com/', ...body })).json()) as Created
  return { service, shell, created }
}

/** Makes what a block assumes. @returns the values of the variables that it reads and does not set */
async function assumedBy({ page, text }: Block, { service, created }: Awaited<ReturnType<typeof reader>>) {
  const values: Record<string, string> = {}
  if (page === 'docs/operator.md' && text.includes('domains check')) {
    await post(`${service.url}/api/domains`, { domain: 'qr.example.com' })
  }
  if (text.includes(REPORTED)) {
    await created({ alias: REPORTED })
    await post(`${service.url}/api/reports`, { code: REPORTED, reason: 'phishing' })
  }
  // The guide's first example made the link, and printed its token.
  if (/\$T\b[^]*localhost:3000\/menu\b/.test(text)) {
    const alias = 'menu-with-password'
    return { T: (await created({ alias })).token }
  }
  if (/\$T\b/.test(text)) values['T'] = (await created({})).token
  if (/\$T2\b/.test(text)) values['T2'] = (await created({})).token
  if (/\$T\/revert/.test(text)) {
    await put(`${service.url}/api/manage/${values['T']}`, { target: 'https://example.com/new' })
  }
  if (/\$C\b/.test(text)) {
    const collection = await post(`${service.url}/api/collections`, {})
    const { token } = (await collection.json()) as Pick<Created, 'token'>
    const inCollection = { 'quirl-collection': token }
    const link = await post(`${service.url}/api/links`, { target: 'https://example.com/' }, inCollection)
    Object.assign(values, { C: token, CODE: ((await link.json()) as Created).code })
  }
  if (/\$S\b/.test(text)) {
    const owned = values['C'] === undefined ? `manage/${values['T']}` : `collections/${values['C']}`
    const share = await post(`${service.url}/api/${owned}/share`, { name: 'agency' })
    const made = (await share.json()) as { share_token: string; id: string }
    Object.assign(values, { S: made.share_token, ID: made.id })
  }
  return values
}

test('each shell block of the documentation is bash, and each that can run here does on a new service', async (t) => {
  const failures: string[] = []
  const readers = new Map<string, Awaited<ReturnType<typeof reader>>>()
  for (const block of blocks.filter(isShell)) {
    const text = shellOf(block)
    const fail = (error: unknown) => failures.push(`${block.place}: ${String(error)}`)
    if (reasonOf(block) !== undefined) {
      await run('bash', ['-n', '-c', text]).catch(fail)
      continue
    }
    // Two guides create an alias of the same name, and one is a story, whose blocks go on with what those before have made.
    const key = ['docs/cli.md', 'docs/collections.md'].includes(block.page) ? block.page : ''
    const on = readers.get(key) ?? (await reader(t))
    readers.set(key, on)
    await on.shell(text, await assumedBy(block, on)).catch((error: Error & { stdout: string }) => {
      fail(`${error.message}\n${error.stdout}`)
    })
  }
  assert.deepEqual(failures, [])
})

test('each JSON block of the documentation is what the OpenAPI document says', async (t) => {
  const { service } = await reader(t)
  const document = parseDocument(await (await fetch(`${service.url}/api/openapi.json`)).text()) as {
    paths: Record<
      string,
      Record<string, { responses: Record<string, { content: Record<string, { schema: object }> }> }>
    >
  }
  const seen: Record<string, number> = {}
  for (const { page, heading, place, text } of blocks.filter(({ language }) => language === 'json')) {
    const value: unknown = JSON.parse(text)
    const section = `${page} ${heading}`
    const at = seen[section] ?? 0
    seen[section] = at + 1
    const shown = shownAs[section]?.[at]
    assert.ok(shown, `${place} is in no row of the table`)
    if (typeof shown !== 'string') continue
    const [method = '', path = '', status = ''] = shown.split(' ')
    const content = document.paths[path]?.[method]?.responses[status]?.content
    const schema = Object.entries(content ?? {}).find(([type]) => type.includes('json'))?.[1].schema
    assert.ok(schema, `${shown} is in the OpenAPI document`)
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    assert.ok(ajv.validate(schema, value), `${place}: ${ajv.errorsText()}`)
  }
  assert.deepEqual(seen, Object.fromEntries(Object.entries(shownAs).map(([section, all]) => [section, all.length])))
})

test('each JavaScript block of the documentation runs', async (t) => {
  const { service } = await reader(t)
  for (const { text } of blocks.filter(({ language }) => language === 'js')) {
    const here = text.replaceAll('https://qr.example.com', service.url)
    await run(process.execPath, ['--input-type=module', '--eval', here], { cwd: root })
  }
})

test('each YAML block of the documentation is valid YAML', () => {
  const faults = blocks
    .filter(({ language }) => language === 'yaml')
    .flatMap(({ place, text }) => parseYaml(text).errors.map((error) => `${place}: ${error.message}`))
  assert.deepEqual(faults, [])
})

test('no block is of an unknown kind, and no row of a table is left over', () => {
  // first-day.test.ts runs the last two.
  const known = new Set(['sh', 'console', 'json', 'js', 'yaml', 'caddyfile', 'nginx'])
  const unknown = blocks.filter(
    ({ language, page, heading }) =>
      !known.has(language) && !(language === '' && plain.some((row) => `${page} ${heading}`.startsWith(row))),
  )
  assert.deepEqual(
    unknown.map(({ place }) => place),
    [],
  )
  const texts = blocks.filter(isShell).map(shellOf)
  assert.deepEqual(
    notRun.filter(([contains]) => !texts.some((text) => text.includes(contains))),
    [],
  )
})

test('blocks are found in lists and after other blocks', () => {
  const page = '# A\n\n1. Do:\n\n   ```sh\n   # not a heading\n   a\n   ```\n\n```\nb\n```\n'
  assert.deepEqual(
    blocksOf('x.md', page).map(({ place, heading, language, text }) => [place, heading, language, text]),
    [
      ['x.md:5', 'A', 'sh', '# not a heading\na\n'],
      ['x.md:10', 'A', '', 'b\n'],
    ],
  )
})
