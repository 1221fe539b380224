import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import manifest from '../package.json' with { type: 'json' }

/** The C library whose variables these are. */
const { header } = process.report.getReport() as { header: object }
const isGlibc = 'glibcVersionRuntime' in header

/** Keeps a small buffer behind each of the size of the largest body, which it frees, and writes by how many MiB its memory has grown. */
const program = `
  const { readFileSync } = require('node:fs')
  const { setTimeout: wait } = require('node:timers/promises')
  const used = () => Number(/RssAnon:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) / 1024
  const fill = (bytes) => new Uint8Array(bytes).fill(1)
  const kept = []
  async function free() {
    gc()
    await wait(50)
  }
  async function run() {
    const before = used()
    for (let round = 0; round < 4; round++) {
      let large = []
      for (let at = 0; at < 16; at++) kept.push(fill(100_000), large.push(fill(4 * 2 ** 20)))
      large = []
      await free()
      await free()
    }
    console.log(used() - before)
  }
  run()
`

test('what large bodies took goes back to the system, whatever small came behind them', { skip: !isGlibc }, () => {
  const variables = Object.fromEntries(
    Array.from(manifest.scripts.start.matchAll(/(MALLOC_\w+)=(\w+)/g), ([, name, value]) => [name, value]),
  )
  const options = { env: { ...process.env, ...variables }, encoding: 'utf8' } as const
  const grown = Number(execFileSync(process.execPath, ['--expose-gc', '-e', program], options))
  // The small ones are 6 MiB, and the large ones were 64 at a time.
  assert.ok(grown < 32, `${grown} MiB`)
})
