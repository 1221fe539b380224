// What creations could reach at best: node:http alone, the same insert, and a response after an fdatasync that began after it.
import { fdatasync, openSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { prepareBareInsert } from './bare-sqlite.ts'

const folder = process.argv[2] ?? ''
const insert = await prepareBareInsert(folder, 'normal')
insert()
const log = openSync(join(folder, 'links.db-wal'), 'r+')
let isSyncing = false
let waiting: (() => void)[] = []

/** Each sync is shared by all inserts before it. */
function sync(): void {
  if (isSyncing) return
  isSyncing = true
  const synced = waiting
  waiting = []
  fdatasync(log, (error) => {
    if (error) throw error
    isSyncing = false
    for (const respond of synced) respond()
    if (waiting.length > 0) sync()
  })
}

const server = createServer((request, response) => {
  void text(request).then((body) => {
    const { target } = JSON.parse(body) as { target: string }
    const code = insert()
    waiting.push(() => {
      const sent = JSON.stringify({ code, kind: 'url', target, short_url: `https://example.com/${code}` })
      response.writeHead(201, { 'content-type': 'application/json', 'content-length': sent.length }).end(sent)
    })
    sync()
  })
})
server.listen(0, '127.0.0.1', () => console.log(`http://localhost:${(server.address() as AddressInfo).port}`))
process.on('SIGTERM', () => process.exit(0))
