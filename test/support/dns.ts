import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { undoLater, type Ending } from './cleanup.ts'

/** The records of a name, or how its server fails. */
export interface Zone {
  cname?: string
  a?: string[]
  aaaa?: string[]
  /** One text for each TXT record, or the strings that it is cut into. */
  txt?: (string | string[])[]
  fails?: 'SERVFAIL' | 'REFUSED' | 'silence' | 'rubbish'
}

/** A DNS server on loopback. Names outside its table do not exist. */
export interface TestDns {
  /** For `DNS_SERVERS`. */
  address: string
  zones: Record<string, Zone>
  /** The queried names, in lower case, one per query. */
  queries: string[]
}

const TYPES = { A: 1, CNAME: 5, TXT: 16, AAAA: 28 }
const RCODES = { none: 0, SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 }

/** Starts a server that responds from a table, which the test may change at any time (RFC 1035, 4). */
export async function startDns(t: Ending, zones: Record<string, Zone> = {}): Promise<TestDns> {
  const socket = createSocket('udp4')
  const queries: string[] = []
  socket.on('message', (query, from) => {
    const { name, type, end } = readQuestion(query)
    queries.push(name)
    const zone = zones[name]
    if (zone?.fails === 'silence') return
    const reply = zone?.fails === 'rubbish' ? rubbish(query) : answer(query.subarray(0, end), type, name, zones)
    socket.send(reply, from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  undoLater(t, () => closed(socket))
  return { address: `127.0.0.1:${socket.address().port}`, zones, queries }
}

async function closed(socket: Socket): Promise<void> {
  socket.close()
  await once(socket, 'close')
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 }
}

/** Builds the response of a recursive server: the chain of CNAME records, and the records at its end. */
function answer(question: Buffer, type: number, name: string, zones: Record<string, Zone>): Buffer {
  const records: Buffer[] = []
  let at = name
  let zone = zones[at]
  const seen = new Set<string>()
  while (zone?.cname !== undefined && !seen.has(at)) {
    seen.add(at)
    records.push(record(at, TYPES.CNAME, encodeName(zone.cname)))
    if (type === TYPES.CNAME) break
    at = zone.cname.toLowerCase()
    zone = zones[at]
  }
  if (type === TYPES.A) for (const each of zone?.a ?? []) records.push(record(at, type, ipv4(each)))
  if (type === TYPES.AAAA) for (const each of zone?.aaaa ?? []) records.push(record(at, type, ipv6(each)))
  if (type === TYPES.TXT) for (const each of zone?.txt ?? []) records.push(record(at, type, strings(each)))
  const fails = zone?.fails === 'SERVFAIL' || zone?.fails === 'REFUSED' ? zone.fails : undefined
  const missing = zone === undefined ? 'NXDOMAIN' : 'none'
  const header = Buffer.from(question.subarray(0, 12))
  // A response, recursion available, with the response code; one question, the answers, nothing else.
  header.writeUInt16BE(0x8180 | RCODES[fails ?? missing], 2)
  for (const [field, count] of [1, records.length, 0, 0].entries()) header.writeUInt16BE(count, 4 + 2 * field)
  return Buffer.concat([header, question.subarray(12), ...records])
}

function rubbish(query: Buffer): Buffer {
  const reply = Buffer.alloc(40, 0xff)
  query.copy(reply, 0, 0, 2)
  return reply
}

function record(name: string, type: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10)
  fixed.writeUInt16BE(type, 0)
  fixed.writeUInt16BE(1, 2)
  fixed.writeUInt32BE(1, 4)
  fixed.writeUInt16BE(data.length, 8)
  return Buffer.concat([encodeName(name), fixed, data])
}

function encodeName(name: string): Buffer {
  const labels = name
    .split('.')
    .map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label, 'latin1')]))
  return Buffer.concat([...labels, Buffer.from([0])])
}

/** A TXT record consists of strings of at most 255 bytes, each prefixed by its length (RFC 1035, 3.3.14). */
function strings(text: string | string[]): Buffer {
  const parts = Array.isArray(text) ? text : (text.match(/.{1,255}/gs) ?? [''])
  return Buffer.concat(parts.map((part) => Buffer.from([Buffer.byteLength(part), ...Buffer.from(part)])))
}

function ipv4(address: string): Buffer {
  return Buffer.from(address.split('.').map(Number))
}

function ipv6(address: string): Buffer {
  const [before = '', after] = address.split('::')
  const groups = (text: string | undefined) => (text ? text.split(':') : [])
  const [left, right] = [groups(before), groups(after)]
  const all = [...left, ...Array.from({ length: 8 - left.length - right.length }, () => '0'), ...right]
  return Buffer.concat(all.map((group) => Buffer.from(group.padStart(4, '0'), 'hex')))
}
