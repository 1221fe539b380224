import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test, type TestContext } from 'node:test'
import { parse } from 'csv-parse/sync'
import { createQuirlClient, pagesOfLinks } from '../src/client/client.ts'
import { outcomeOf } from '../src/main.ts'
import { temporaryFolder } from './support/cleanup.ts'
import { startServer, visit } from './support/server.ts'

// Commands for collections run in this process: they call the service by HTTP as the program does.

before(() => {
  delete process.env['QUIRL_SERVER']
})

/** A service, and commands of an owner, which read and write the files of one home. */
async function startWithHome(t: TestContext) {
  const { url } = await startServer(t)
  const home = temporaryFolder(t)
  process.env['XDG_CONFIG_HOME'] = home
  const quirl = (...args: string[]) => outcomeOf([...args, `--server=${url}`])
  return {
    url,
    quirl,
    kept: () => (JSON.parse(readFileSync(join(home, 'quirl/collections.json'), 'utf8')) as Record<string, object>)[url],
    file: (name: string, text?: string) => {
      if (text !== undefined) writeFileSync(join(home, name), text)
      return join(home, name)
    },
    /** Runs a command that succeeds. */
    ok: async (...args: string[]) => {
      const { status, stdout, stderr } = await quirl(...args)
      assert.equal(status, 0, `${args.join(' ')}: ${stderr}`)
      return stdout
    },
  }
}

const menu = 'https://example.com/menu'

test('a collection is made, filled, read, counted, exported, renamed and ended under the name that was kept', async (t) => {
  const { url, quirl, ok, kept, file } = await startWithHome(t)
  const made = await quirl('collection', 'create', '--name=Summer', '--keep')
  assert.match(made.stdout, /^http:\/\/\S+\/c\/collection_[\w-]{43}\n$/)
  assert.equal(made.stderr, 'quirl: its token is kept as "summer"\n')
  assert.equal(statSync(file('quirl/collections.json')).mode & 0o777, 0o600)
  assert.equal(await ok('collection'), 'summer\n')

  await ok('shorten', `${menu}/1`, '--alias=t1', '--title=Table 1', '--campaign=tables', '--collection=Summer')
  const [, page = ''] = (await ok('shorten', `${menu}/2`, '--alias=t2')).split('\n')
  await ok('shorten', `${menu}/3`, '--alias=t3', '--keep')
  assert.equal(await ok('collection', 'add', 'summer', page, 't3'), '2 links added\n')
  assert.equal(await ok('collection', 'add', 'summer', '--kept'), '0 links added; 1 had joined before\n')
  await visit(`${url}/t1`)
  await visit(`${url}/t1`)
  await visit(`${url}/t2`)

  const list = await ok('collection', 'list', 'summer', '--sort=scans')
  assert.match(
    list,
    /^CODE +TITLE +CAMPAIGN +VISITS +STATE +LEADS TO\nt1 +Table 1 +tables +2 +active +\S+\/1\nt2 +- +- +1 /,
  )
  const found = await ok('collection', 'list', 'summer', '--q=menu', '--campaign=tables', '--json')
  assert.deepEqual(
    found
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).code),
    ['t1'],
  )
  assert.equal(await ok('collection', 'list', 'summer', '--state=paused'), 'no such link\n')
  assert.match(
    await ok('collection', 'show', 'summer'),
    /^Summer, created .* \(UTC\)\n3 links, 3 visits, .*\n\nCAMPAIGN +LINKS +VISITS\n\(none\) +2 +1\ntables +1 +2\n$/,
  )
  assert.equal(JSON.parse(await ok('collection', 'show', 'summer', '--json')).totals.scans, 3)

  const all = await ok('collection', 'stats', 'summer', '--days=7', '--tz=UTC')
  assert.match(all, /^summer \(3 links\) .*\n\n.*7 days, highest: 3 visits\n\nvisits +3 /)
  assert.match(all, /\nlink\n {2}t1 {2}Table 1 +2\n {2}t2 +1\n\ncampaign\n {2}tables +2\n/)
  assert.match(
    await ok('collection', 'stats', 'summer', '--campaign=tables'),
    /^tables \(1 link\) .*\n\n.*\n\nvisits +2 /,
  )
  const unfit = ['collection', 'stats', 'summer', '--source=qr', '--json'] as const
  assert.equal(JSON.parse(await ok(...unfit)).totals.scans, 0)

  await ok('collection', 'export', 'summer', `--out=${file('scans.csv')}`)
  const codes = (parse(readFileSync(file('scans.csv')), { columns: true }) as { code: string }[]).map(
    ({ code }) => code,
  )
  assert.deepEqual(codes, ['t1', 't1', 't2'])
  await ok('collection', 'export', 'summer', '--campaign=tables', '--format=ndjson', `--out=${file('scans.ndjson')}`)
  assert.equal(readFileSync(file('scans.ndjson'), 'utf8').trim().split('\n').length, 2)

  assert.equal(await ok('collection', 'rename', 'summer', 'Tables 2027'), 'the collection is called "Tables 2027"\n')
  assert.deepEqual(Object.keys(kept() ?? {}), ['tables 2027'])
  const left = await quirl('collection', 'remove', 'tables 2027', 't3', 'nothing')
  assert.deepEqual([left.status, left.stdout], [2, '1 link taken out\n'])
  assert.match(left.stderr, /nothing: the collection has no link with this code/)
  assert.equal((await visit(`${url}/t3`)).status, 302, 'it stays')

  const asked = await quirl('collection', 'end', 'tables 2027', '--with-links')
  assert.deepEqual([asked.status, asked.stdout], [1, ''])
  assert.match(asked.stderr, /add --yes to end the collection "Tables 2027" of 2 links, and delete them /)
  const ended = await ok('collection', 'end', 'tables 2027', '--with-links', '--yes')
  assert.equal(ended, 'the collection is ended, and 2 links with it\n')
  assert.deepEqual([(await visit(`${url}/t1`)).status, (await visit(`${url}/t3`)).status], [410, 302])
  assert.deepEqual(kept(), {})
})

test('each command for a link finds it in a kept collection, or in that of --collection, when its own token was not kept', async (t) => {
  const { url, quirl, ok, file } = await startWithHome(t)
  await ok('collection', 'create', '--name=Winter', '--keep')
  await ok('collection', 'create', '--name=Summer', '--keep')
  await ok('collection', 'create', '--name=Empty', '--keep')
  await ok('shorten', menu, '--alias=menu', '--collection=Summer')
  await visit(`${url}/menu`)

  assert.match(await ok('stats', 'menu'), /\nvisits +1 /)
  assert.match(await ok('stats', `${url}/menu`), /\nvisits +1 /)
  assert.equal(await ok('edit', 'menu', `--target=${menu}/new`), `${url}/menu leads to ${menu}/new\n`)
  assert.equal(await ok('pause', 'menu'), `${url}/menu is paused\n`)
  assert.equal(await ok('resume', 'menu', '--collection=summer'), `${url}/menu is active\n`)
  await ok('export', 'menu', `--out=${file('scans.csv')}`)
  assert.match(readFileSync(file('scans.csv'), 'utf8'), /^scanned_at,.*\r\n.*,link,/)
  assert.match(await ok('delete', 'menu', '--undo'), /is deleted; until /)
  assert.equal((await visit(`${url}/menu`)).status, 410)
  assert.equal(await ok('undelete', 'menu'), `${url}/menu is back\n`)

  const other = await quirl('stats', 'menu', '--collection=winter')
  assert.match(other.stderr, /no collection has this token, or it has no link with this code/)
  assert.match(
    (await quirl('stats', 'nothing')).stderr,
    /no token of "nothing" was kept, and no kept collection has it/,
  )
  assert.match((await quirl('stats', 'menu', '--collection=autumn')).stderr, /no collection "autumn" was kept/)
  assert.equal(await ok('delete', 'menu', '--yes'), `${url}/menu is deleted\n`)
  assert.equal((await visit(`${url}/menu`)).status, 410, 'it is deleted, and not only taken out')
})

test('a look is given to new links, to rows of a table and to links that exist', async (t) => {
  const { quirl, ok, file } = await startWithHome(t)
  await ok('collection', 'create', '--name=Shop', '--keep')
  const design = file('blue.json', '{"fg": "#123456"}')
  assert.equal(await ok('collection', 'look', 'shop', 'blue', design), 'the look "blue" is saved\n')
  await ok('collection', 'look', 'shop', 'red', file('red.json', '{"fg": "#800000"}'))
  assert.match(await ok('collection', 'show', 'shop'), /\nlooks: blue, red\n/)

  const fgOf = async (code: string) =>
    (JSON.parse(await ok('edit', code, `--title=${code}`, '--json')) as { design: { fg: string } | null }).design?.fg
  await ok('shorten', menu, '--alias=one', '--collection=shop', '--look=blue')
  assert.equal(await fgOf('one'), '#123456')
  await ok('edit', 'one', '--look=red')
  assert.equal(await fgOf('one'), '#800000')
  const table = file('table.csv', `alias,target,Look\ntwo,${menu}/2,\nthree,${menu}/3,red\n`)
  await ok('bulk', table, '--collection=shop', '--look=blue', `--out=${file('links.csv')}`)
  assert.deepEqual([await fgOf('two'), await fgOf('three')], ['#123456', '#800000'])

  assert.match((await quirl('shorten', menu, '--collection=shop', '--look=green')).stderr, /look/)
  await ok('collection', 'look', 'shop', 'red', '--remove')
  assert.doesNotMatch(await ok('collection', 'show', 'shop'), /red/)
})

test('a new token takes the place of the kept one, and a collection made elsewhere is kept by its address', async (t) => {
  const { quirl, ok, kept } = await startWithHome(t)
  const first = await ok('collection', 'create', '--name=Shop', '--keep')
  const second = await quirl('collection', 'create', '--name=Shop', '--keep')
  assert.match(second.stderr, /kept as "shop \(2\)"/, 'no kept token is lost')

  const rotated = await quirl('collection', 'rotate', 'shop')
  assert.match(rotated.stderr, /^quirl: the new token is kept as "shop"; the old one works until /)
  assert.notEqual(rotated.stdout, first)
  await ok('collection', 'show', 'shop')
  assert.match((await quirl('collection', 'show', first.trim())).stderr, /no collection has this token/)
  assert.equal(Object.keys(kept() ?? {}).length, 2)

  const elsewhere = (await ok('collection', 'create')).trim()
  assert.match(await ok('collection', 'keep', elsewhere, '--name=phone'), /kept as "phone"/)
  assert.equal(await ok('collection'), 'shop\nshop (2)\nphone\n')
  assert.match(await ok('collection', 'end', 'phone', '--yes'), /its links stay/)
})

test('arguments that are no use send nothing, and say what to give', async (t) => {
  const { quirl } = await startWithHome(t)
  const token = `collection_${'A'.repeat(43)}`
  for (const [args, message] of [
    [['nothing'], /has no "nothing": give create, add, remove, list/],
    [['create', 'Summer'], /give the name of the collection by --name/],
    [['show'], /give a collection: the address of its page/],
    [['show', 'unknown'], /no collection "unknown" was kept for http/],
    [['show', 'A'.repeat(43)], /no collection "A+" was kept/],
    [['show', token, '--days=3'], /--days does not go with "quirl collection show"/],
    [['--yes'], /--yes does not go with "quirl collection"/],
    [['add', token], /give the links to add/],
    [['add', token, 'nothing'], /"nothing" names no link of http/],
    [['add', token, `https://other.example.com/m/${'A'.repeat(43)}`], /names no link of http/],
    [['remove', token], /give the codes of the links/],
    [['look', token, 'blue'], /give a collection, the name of a look/],
    [['look', token, 'blue', '/nonexistent'], /\/nonexistent: ENOENT/],
    [['stats', token, '--days=many'], /--days must be a whole number/],
    [['rename', token], /give a collection and its new name/],
  ] as const) {
    const { status, stdout, stderr } = await quirl('collection', ...args)
    assert.deepEqual([status, stdout], [1, ''], args.join(' '))
    assert.match(stderr, message)
  }
  assert.match((await quirl('collection', 'show', token)).stderr, /no collection has this token/)
})

test('the help of the command and completions name what may follow it', async () => {
  const { stdout: help } = await outcomeOf(['collection', '--help'])
  for (const line of ['create', 'add <collection> <link> …', 'stats <collection>'])
    assert.ok(help.includes(`  ${line} `))
  const { stdout } = await outcomeOf(['completion', 'bash'])
  const script = `${stdout}\nCOMP_WORDS=(quirl collection ro); COMP_CWORD=2; _quirl; echo "\${COMPREPLY[@]}"`
  assert.equal(spawnSync('bash', ['-c', script], { encoding: 'utf8' }).stdout, 'rotate\n')
})

test('the typed client reads the links of a collection page by page, and calls each by the token of the collection', async (t) => {
  const { url } = await startServer(t)
  const service = createQuirlClient({ server: url })
  const { data: made } = await service.POST('/api/collections', { body: { name: 'Shop' } })
  const token = made?.token ?? ''
  for (const alias of ['a', 'b', 'c']) {
    const header = { 'quirl-collection': token }
    await service.POST('/api/links', { body: { target: menu, alias }, params: { header } })
  }
  const codes: string[][] = []
  for await (const { data } of pagesOfLinks(createQuirlClient({ server: url, token }), { limit: 2, order: 'asc' }))
    codes.push(data?.links.map(({ code }) => code) ?? [])
  assert.deepEqual(codes, [['a', 'b'], ['c']])

  const link = createQuirlClient({ server: url, token, code: 'b' })
  assert.equal((await link.PUT('/api/manage', { body: { title: 'B' } })).data?.title, 'B')
  assert.equal((await link.GET('/api/manage/stats')).data?.totals.scans, 0)
  assert.equal((await link.DELETE('/api/manage')).data?.code, 'b')
  assert.equal((await visit(`${url}/b`)).status, 410)

  const errors: (string | undefined)[] = []
  for await (const { error } of pagesOfLinks(createQuirlClient({ server: url, token: 'x' }))) errors.push(error?.code)
  assert.deepEqual(errors, ['collection_not_found'])
})

test('the codes of a collection are written as labels to print, and as images in a ZIP', async (t) => {
  const { ok, quirl, file } = await startWithHome(t)
  await ok('collection', 'create', '--name=Hotel', '--keep')
  await ok('shorten', `${menu}/1`, '--alias=room-1', '--title=Zimmer 1', '--campaign=rooms', '--collection=hotel')
  await ok('shorten', `${menu}/2`, '--alias=lobby', '--collection=hotel')
  const written = async (...args: string[]) => {
    assert.equal(await ok('collection', ...args, `--out=${file('codes')}`), '')
    return readFileSync(file('codes'))
  }
  const sheet = await written('labels', 'hotel', '--text=title', '--style=loud', '--start=4', '--offset=0.5,-1')
  assert.ok(sheet.subarray(0, 8).equals(Buffer.from('%PDF-1.7')))
  const letter = await written('labels', 'hotel', '--labels=60x40+2', '--paper=letter', '--own=Scan me')
  assert.ok(letter.includes('/MediaBox[0 0 612 792]'))
  const tents = await written('labels', 'hotel', '--paper=tent-a4', '--campaign=rooms')
  assert.ok(tents.includes('/Count 1'), 'one page for the one link of the campaign')
  const zip = await written('codes', 'hotel', '--images=png', '--size=640', '--names=title')
  for (const name of ['Zimmer 1.png', 'qr-lobby.png', 'manifest.csv']) assert.ok(zip.includes(name), name)

  for (const [args, expected] of [
    [['labels', 'hotel', '--labels=avery-l7160x'], /avery-l7160/],
    [['labels', 'hotel', '--start=22'], /1 to 21/],
    [['labels', 'hotel', '--start=x'], /--start must be a number/],
    [['labels', 'hotel', '--offset=1'], /offset/],
    [['labels', 'hotel', '--text=title', '--own=x'], /either --text or --own/],
    [['codes', 'hotel', '--part=2'], /at most 1/],
    [['codes', 'hotel', '--images=gif'], /format/],
  ] as const) {
    const { status, stdout, stderr } = await quirl('collection', ...args)
    assert.deepEqual([status, stdout], [1, ''], args.join(' '))
    assert.match(stderr, expected)
  }
})
