import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { accessibilityFaults, sharedWindows, testsIn } from './support/browser.ts'
import { endOfFile } from './support/cleanup.ts'
import type { CreatedCollection } from './support/collections.ts'
import { startDns } from './support/dns.ts'
import { poll } from './support/poll.ts'
import { startReceiver, type Receiver } from './support/receiver.ts'
import { create, post, put, startServer, type Created, type TestServer } from './support/server.ts'
import { loopbackOnly } from './support/webhooks.ts'

const end = endOfFile()
let server: TestServer
let receiver: Receiver
const inBrowser = testsIn(sharedWindows(end, () => server.url))
before(async () => {
  receiver = await startReceiver(end)
  const { address } = await startDns(end, { 'hook.example.com': { a: ['127.0.0.1'] } })
  server = await startServer(end, { DNS_SERVERS: address }, undefined, { webhooks: loopbackOnly })
})

/** Opens a collection with one link. */
async function collect(at: Pick<TestServer, 'url'> = server): Promise<{ token: string; link: Created }> {
  const { token } = (await (await post(`${at.url}/api/collections`, { name: 'Café' })).json()) as CreatedCollection
  const link = await create(at, { target: 'https://example.com/menu' }, { 'quirl-collection': token })
  return { token, link }
}

const pageOf = (token: string, at: Pick<TestServer, 'url'> = server) => `${at.url}/c/${token}`
const hook = () => `http://hook.example.com:${receiver.port}/hook`
const send = (token: string, form: Record<string, string>, language = 'en') =>
  fetch(pageOf(token), {
    method: 'POST',
    body: new URLSearchParams(form),
    headers: { 'accept-language': language },
    redirect: 'manual',
  })

inBrowser('a person without scripts sets, renews and removes the webhook of a collection', async (page) => {
  const { token, link } = await collect()
  const part = page.locator('#webhook')
  const chip = () => part.locator('.settings-value').first().textContent()
  const open = async () => {
    await page.goto(pageOf(token))
    await part.locator('summary').first().press('Enter')
  }
  await open()
  assert.equal(await chip(), 'None')
  const field = page.getByLabel('Address of the program')
  await field.fill('http://printer.local/')
  await page.getByLabel('A link was changed').setChecked(false)
  await page.getByRole('button', { name: 'Set webhook' }).press('Enter')
  assert.match((await page.locator('#setting-webhook_url-fault').textContent()) ?? '', /not in a private network/)
  assert.deepEqual(
    [await field.inputValue(), await page.getByLabel('A link was changed').isChecked()],
    ['http://printer.local/', false],
  )
  await field.fill(hook())
  for (const box of await part.locator('[name=events]').all()) await box.setChecked(false)
  await page.getByRole('button', { name: 'Set webhook' }).press('Enter')
  assert.match((await page.locator('#setting-events-fault').textContent()) ?? '', /at least one/)
  await page.getByLabel('A link was changed').setChecked(true)
  await page.getByRole('button', { name: 'Set webhook' }).press('Enter')
  const secret = await page.locator('#secret').inputValue()
  await page.getByRole('link', { name: 'Back to the settings' }).press('Enter')
  await page.waitForURL(/\?webhook-saved#webhook/)
  assert.equal(await part.getByRole('status').textContent(), 'The webhook is saved.')
  assert.equal(await chip(), 'Active')
  assert.doesNotMatch(await page.content(), /whsec_/)

  await put(`${server.url}/api/manage/${link.token}`, { title: 'New menu' })
  await poll(() => receiver.received.length === 1)
  const [{ body, headers }] = receiver.received as [Receiver['received'][0]]
  assert.partialDeepStrictEqual(new Webhook(secret).verify(body, headers as Record<string, string>), {
    data: { code: link.code, changed: ['title'] },
  })
  await poll(async () => /Last delivered on/.test(await (await fetch(pageOf(token))).text()))

  await open()
  await page.getByText('A new secret', { exact: true }).press('Enter')
  await page.getByRole('button', { name: 'Get a new secret' }).press('Enter')
  assert.notEqual(await page.locator('#secret').inputValue(), secret)
  await open()
  await page.getByText('Remove the webhook').press('Enter')
  await page.getByRole('button', { name: 'Remove it' }).press('Enter')
  await page.waitForURL(/\?webhook-removed#webhook/)
  assert.equal(await part.getByRole('status').textContent(), 'The webhook is removed.')
  assert.equal(await chip(), 'None')
})

inBrowser(
  'the webhook of a collection has no fault of accessibility, also when it is refused',
  async (page) => {
    const { token } = await collect()
    await put(`${server.url}/api/collections/${token}`, { webhook: { url: hook(), events: ['link.changed'] } })
    await page.setViewportSize({ width: 360, height: 740 })
    await page.goto(pageOf(token))
    await page.locator('#webhook summary').first().press('Enter')
    await page.getByLabel('Address of the program').fill('https://example.com:25/')
    await page.getByRole('button', { name: 'Save webhook' }).press('Enter')
    assert.match((await page.locator('#setting-webhook_url-fault').textContent()) ?? '', /80, 443/)
    assert.ok((await page.evaluate<number>('document.documentElement.scrollWidth')) <= 360)
    assert.deepEqual(await accessibilityFaults(page), [])
  },
  { scripts: true },
)

test('a form that is sent twice shows the same secret', async () => {
  const { token } = await collect()
  const form = { action: 'webhook', webhook_url: hook(), events: 'link.changed', idempotency_key: 'k'.repeat(36) }
  const secretIn = async (response: Response) => /whsec_[\w+/=]+/.exec(await response.text())?.[0]
  const first = await secretIn(await send(token, form))
  assert.ok(first)
  assert.equal(await secretIn(await send(token, form)), first)
})

test('whoever asks for a new secret of a webhook that is gone is told; German pages speak German', async () => {
  const { token } = await collect()
  const gone = await send(token, { action: 'webhook-secret' }, 'de')
  assert.equal(gone.status, 412)
  const faulty = await send(token, { action: 'webhook', webhook_url: 'https://example.com/' }, 'de')
  assert.equal(faulty.status, 400)
  assert.match(await faulty.text(), /ein Link geändert wurde.*Wählen Sie mindestens ein Ereignis/s)
})

test('where the operator has turned webhooks off, the page of a collection says so', async (t) => {
  const off = await startServer(t, { WEBHOOKS: 'off' })
  const { token } = await collect(off)
  const page = await (await fetch(pageOf(token, off))).text()
  assert.match(page, /The operator of this service has switched webhooks off/)
  assert.doesNotMatch(page, /name="webhook_url"/)
})
