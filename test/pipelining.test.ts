import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { endOfFile } from './support/cleanup.ts'
import { poll } from './support/poll.ts'
import { start } from './support/program.ts'
import { connectRaw } from './support/raw.ts'
import { create, visit } from './support/server.ts'

const MIB = 1024 * 1024
const CONNECTIONS = 20
const REQUESTS = 10_000
const unlimited = ['links', 'changes', 'qr', 'misses', 'failures'].map((name) => `--limit-${name}=0`)
/** The options of `npm start`. */
const service = await start(endOfFile(), undefined, [...unlimited, '--trust-proxy=127.0.0.1'], {
  env: { NODE_OPTIONS: '--max-semi-space-size=8' },
})

async function metric(url: string, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1])
}

test(`all of ${REQUESTS} pipelined visits are redirected and recorded`, async (t) => {
  const { code, token } = await create(service, { target: 'https://example.com/' })
  const { socket, received } = connectRaw(t, service.port)
  let answered = 0
  let tail = ''
  socket.on('data', (part: Buffer) => {
    const text = tail + part.toString('latin1')
    answered += text.split('HTTP/1.1 302').length - 1
    tail = text.slice(-11)
  })
  socket.write(`GET /${code} HTTP/1.1\r\nHost: quirl.example\r\nUser-Agent: curl/8\r\n\r\n`.repeat(REQUESTS))
  await poll(
    () => answered === REQUESTS,
    () => `${answered} were answered, ${received().length} bytes`,
  )
  const { totals } = (await (await fetch(`${service.url}/api/manage/${token}`)).json()) as { totals: { scans: number } }
  assert.equal(totals.scans, REQUESTS)
})

/** One client can occupy at most half of the slots, so another one requests images, and retries when the machine is slow. */
const another = { 'x-forwarded-for': '192.0.2.7' }

suite(
  `${CONNECTIONS} connections with ${REQUESTS} pipelined requests that read no response take bounded memory and do not block other clients, with`,
  () => {
    for (const kind of ['visits', 'pages', 'OpenAPI', 'images', 'statistics'] as const) {
      test(kind, async (t) => {
        const [flooded, honest] = [
          await create(service, { target: 'https://example.com/' }),
          await create(service, { target: 'https://example.com/honest' }),
        ]
        const path = {
          visits: `/${flooded.code}`,
          pages: '/',
          OpenAPI: '/api/openapi.json',
          images: `/${flooded.code}/qr.png?size=2000`,
          statistics: `/api/manage/${flooded.token}/stats`,
        }[kind]
        const fields = 'Host: quirl.example\r\nX-Forwarded-For: 198.51.100.7\r\n'
        const flood = Buffer.from(`GET ${path} HTTP/1.1\r\n${fields}\r\n`.repeat(REQUESTS))
        for (let at = 0; at < CONNECTIONS; at++) {
          const { socket } = connectRaw(t, service.port)
          socket.pause()
          socket.write(flood)
        }
        let highest = 0
        for (let turn = 1; turn <= 30; turn++) {
          assert.equal((await visit(`${service.url}/${honest.code}`)).status, 302)
          assert.equal((await fetch(`${service.url}/healthz`)).status, 200)
          await poll(async () => {
            const { status } = await fetch(`${service.url}/${honest.code}/qr.png`, { headers: another })
            assert.ok(status === 200 || status === 503, `an image: ${status}`)
            return status === 200
          })
          highest = Math.max(highest, await metric(service.url, 'process_resident_memory_bytes'))
        }
        assert.ok(highest < 400 * MIB, `${Math.round(highest / MIB)} MiB were resident`)
        t.diagnostic(`${Math.round(highest / MIB)} MiB resident at most`)
        const details = (await (await fetch(`${service.url}/api/manage/${honest.token}`)).json()) as {
          totals: { scans: number }
        }
        assert.equal(details.totals.scans, 30)
      })
    }
  },
)
