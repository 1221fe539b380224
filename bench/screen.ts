// Claims: a list of 1,000,000 entries takes at most 20 MB, and matching a URL takes less than 10 µs. The baseline is a Set of
// hosts, which supports neither paths nor canonical forms.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openSet } from '../src/abuse/compact-set.ts'
import { parseList } from '../src/abuse/open.ts'
import { createScreening } from '../src/abuse/screen.ts'
import { median, printTable, temporaryFolder } from './support.ts'

const ENTRIES = 1_000_000
const LOOKUPS = 200_000
const ROUNDS = 5
const SALT = '0123456789abcdef0123456789abcdef'

const endings = ['com', 'co.uk', 'github.io', 'example', 'top', 'xyz']
const host = (at: number) => `login-${at.toString(36)}.secure${at % 97}.${endings[at % endings.length]}`
const folder = temporaryFolder()

interface Kind {
  name: string
  line: (at: number) => string
}
const kinds: Kind[] = [
  { name: 'hosts', line: (at) => `0.0.0.0 ${host(at)}` },
  { name: 'URLs', line: (at) => `https://${host(at)}/wp-content/${at}/index.php` },
]

/** Bytes in use, in the heap and outside, after a garbage collection. */
function held(): number {
  globalThis.gc?.()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

/** Microseconds per call, the median of the rounds. */
function time(urls: string[], call: (url: string) => unknown): number {
  const rounds = Array.from({ length: ROUNDS }, () => {
    const began = performance.now()
    for (let at = 0; at < LOOKUPS; at++) call(urls[at % urls.length] ?? '')
    return ((performance.now() - began) / LOOKUPS) * 1000
  })
  return median(rounds)
}

const mebibytes = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(1)} MiB`
const micro = (value: number) => `${value.toFixed(2)} µs`
/** 1,000 URLs that are not listed: long, with a query, on hosts with four labels. */
const clean = Array.from(
  { length: 1000 },
  (_, at) => `https://www.shop${at}.example.org/a/b/c/page-${at}.html?id=${at}`,
)

for (const { name, line } of kinds) {
  const file = join(folder, `${name}.txt`)
  writeFileSync(file, Array.from({ length: ENTRIES }, (_, at) => line(at)).join('\n'))
  const listed = Array.from(
    { length: 1000 },
    (_, at) => `https://www.${host(at * 997)}/wp-content/${at * 997}/index.php?x=1`,
  )

  const before = held()
  let began = performance.now()
  const hosts = new Set(Array.from({ length: ENTRIES }, (_, at) => host(at)))
  const setBuild = performance.now() - began
  const setBytes = held() - before
  const inSet = (url: string) => {
    const labels = new URL(url).hostname.split('.')
    return labels.some((_, at) => hosts.has(labels.slice(at).join('.')))
  }
  const setClean = time(clean, inSet)
  const setListed = time(listed, inSet)
  hosts.clear()

  began = performance.now()
  const parsed = await parseList({ file, salt: SALT, maxEntries: ENTRIES })
  const build = performance.now() - began
  began = performance.now()
  const set = openSet(parsed.keys)
  const open = performance.now() - began
  const { bytes } = set
  const lists = [{ name, set }]
  const { find } = createScreening({ salt: SALT, lists: () => lists, rulings: () => new Map(), isOwnHost: () => false })
  if (parsed.entries !== ENTRIES || listed.some((url) => !find(url)) || clean.some((url) => find(url))) {
    throw new Error(`the list does not match: ${JSON.stringify({ ...parsed, keys: parsed.keys.length })}`)
  }
  const [notFound, found] = [time(clean, find), time(listed, find)]
  const ratio = (a: number, b: number) => (a / b).toFixed(2)
  printTable(`${ENTRIES.toLocaleString('en')} ${name}`, [
    {
      what: 'memory',
      compact: mebibytes(bytes),
      'Set of hosts': mebibytes(setBytes),
      ratio: ratio(bytes, setBytes),
      bound: '20 MB',
    },
    {
      what: 'build (off the main thread; the Set on it)',
      compact: `${Math.round(build)} ms`,
      'Set of hosts': `${Math.round(setBuild)} ms`,
      ratio: ratio(build, setBuild),
      bound: '',
    },
    {
      what: 'opening, on the main thread',
      compact: `${open.toFixed(1)} ms`,
      'Set of hosts': '-',
      ratio: '-',
      bound: '',
    },
    {
      what: 'look-up of an unlisted URL',
      compact: micro(notFound),
      'Set of hosts': micro(setClean),
      ratio: ratio(notFound, setClean),
      bound: '10 µs',
    },
    {
      what: 'look-up of a listed URL',
      compact: micro(found),
      'Set of hosts': micro(setListed),
      ratio: ratio(found, setListed),
      bound: '10 µs',
    },
  ])
}
