import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWithLinks } from './support/collections.ts'
import { create, post, put } from './support/server.ts'

/** PostgreSQL refuses it in a text, which must be no error of the service. */
const NUL = '\u0000'

test('what no text can hold is refused or not found wherever a collection takes a text, and is stored nowhere', async (t) => {
  const { url, token, api, ...server } = await startCollected(t)
  const requests: Record<string, () => Promise<Response>> = {
    'the code of a path': () => fetch(api('/links/%00')),
    'a long code of a path': () => fetch(api(`/links/${'x'.repeat(5000)}`)),
    'the code of a link to take out': () => fetch(api('/links/%00'), { method: 'DELETE' }),
    'the code of a link to delete': () => fetch(api('/links/%00?link=true'), { method: 'DELETE' }),
    'the code of a link to bring back': () => fetch(api('/links/%00/undelete'), { method: 'POST' }),
    'the campaign of a list': () => fetch(api('/links?campaign=%00')),
    'the campaign of statistics': () => fetch(api('/stats?campaign=%00')),
    'the campaign of scans': () => fetch(api('/scans.csv?campaign=%00')),
    'the campaign of a spreadsheet': () => fetch(api('/links.csv?campaign=%00')),
    'the look of a creation': () =>
      post(`${url}/api/links`, { target: TARGET, design: { look: NUL } }, { 'quirl-collection': token }),
    'the look of a change': () => put(api('/links/menu'), { design: { look: NUL } }),
    'the look of a bulk': () => server.sendCsv(`${url}/api/bulk`, `target,look\n${TARGET},${NUL}\n`),
    'the name of a look': () => put(api(), { looks: { [NUL]: {} } }),
    'the name of a look to remove': () => put(api(), { looks: { [NUL]: null } }),
    'the name of a collection': () => put(api(), { name: NUL }),
    'the code of a change': () => post(api('/changes'), { changes: [{ code: NUL, title: 'x' }] }),
    'the code of a row': () => server.sendCsv(api('/changes'), `code,title\n${NUL},x\n`),
    'the title of a row': () => server.sendCsv(api('/changes'), `code,title\nmenu,${NUL}\n`),
    'the name of a share': () => post(api('/share'), { name: NUL }),
    'the campaign of a share': () => post(api('/share'), { campaign: NUL }),
    'a long campaign of a share': () => post(api('/share'), { campaign: 'x'.repeat(201) }),
    'the id of a share': () => fetch(api('/shares/%00'), { method: 'DELETE' }),
    'a code in the path of a page': () => fetch(`${url}/c/${token}/%00`),
    'a look in the path of a page': () => fetch(`${url}/c/${token}/looks/%00`),
    ...Object.fromEntries(forms.map((form) => [JSON.stringify(form), () => server.send(form)])),
  }
  for (const [name, send] of Object.entries(requests)) {
    const { status } = await send()
    assert.ok(status >= 400 && status < 500, `${name}: ${status}`)
  }
  assert.equal(
    (await fetch(`${url}/c/${token}?campaign=%00&q=%00`)).status,
    200,
    'what an address says wrongly is not said',
  )
  const { name, looks } = await server.read(token)
  assert.deepEqual([name, looks], ['Kept', {}])
  assert.deepEqual(await (await fetch(api('/shares'))).json(), { shares: [] })
})

const TARGET = 'https://example.com/'

/** Forms of the page, each with something that cannot be stored. */
const forms: Record<string, string>[] = [
  { action: 'rename', name: `a${NUL}b` },
  { action: 'rename', name: 'x'.repeat(101) },
  { action: 'share', name: NUL },
  { action: 'share', name: 'x', campaign: NUL },
  { action: 'share', name: 'x', campaign: 'x'.repeat(5000) },
  { action: 'revoke-share', share: NUL },
  { action: 'save-look', code: NUL, name: 'x' },
  { action: 'remove-look', look: NUL },
  { action: 'look', code: 'menu', look: NUL },
  { action: 'campaign', code: 'menu', campaign: `a${NUL}b` },
  { action: 'pause', code: NUL },
  { action: 'leave', code: NUL },
  { action: 'delete', code: NUL, sure: 'yes' },
  { action: 'undelete', code: NUL },
  { action: 'create', target: TARGET, title: `a${NUL}b` },
  { action: 'join', tokens: NUL },
]

async function startCollected(t: Parameters<typeof startWithLinks>[0]) {
  const server = await startWithLinks(t, 0)
  const { token } = await server.collect({ name: 'Kept' })
  const inside = { 'quirl-collection': token }
  await create(server, { alias: 'menu', target: TARGET }, inside)
  return {
    ...server,
    token,
    api: (path = '') => server.api(token, path),
    sendCsv: (to: string, body: string) =>
      fetch(to, { method: 'POST', headers: { 'content-type': 'text/csv', ...inside }, body }),
    send: (form: Record<string, string>) =>
      fetch(`${server.url}/c/${token}`, { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' }),
  }
}
