import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { dataUriOf } from '../src/qr/logo/logo.ts'
import { openSupplies } from '../src/qr/pool/tools.ts'
import { costlyLogos } from './support/costly-logos.ts'

const SMALL = 60_000

const dot = dataUriOf(Buffer.from('<svg viewBox="0 0 8 8"><path d="M0 0h8v8z"/></svg>'))

const TIMES = 3

/**
 * Time that reading takes, the shortest of some: what else the machine does only adds to it.
 * @param enough reading is not measured again once it takes no longer than this
 */
function timeOf(read: (dataUri: string) => unknown, file: Uint8Array, enough = 0): number {
  const uri = dataUriOf(file)
  let shortest = Infinity
  for (let time = 0; time < TIMES && shortest > enough; time++) {
    // Nothing is left of the last one then: only one logo is kept.
    read(dot)
    const start = process.threadCpuUsage()
    try {
      read(uri)
    } catch {
      // Most are refused; what counts is how long that takes.
    }
    const { user, system } = process.threadCpuUsage(start)
    shortest = Math.min(shortest, (user + system) / 1000)
  }
  return shortest
}

describe('a logo is read in time that grows as its size does, with', () => {
  let read: (dataUri: string) => unknown
  let unit = 0
  before(async () => {
    const { readLogo } = openSupplies()
    read = readLogo
    // What this machine takes for an ordinary drawing of the small size.
    const plain = `<svg viewBox="0 0 8 8" xmlns="http://www.w3.org/2000/svg">${'<path d="M0 0h8v8z" fill="#123456"/>'.repeat(SMALL / 36)}</svg>`
    unit = timeOf(read, Buffer.from(plain))
  })

  for (const [what, make] of Object.entries(costlyLogos)) {
    test(what, () => {
      const small = timeOf(read, make(SMALL), unit)
      // Quadratic work is sixteen times as much; tiny times are noise.
      const bound = 8 * Math.max(small, unit)
      const large = timeOf(read, make(SMALL * 4), bound)
      assert.ok(large <= bound, `${small.toFixed(1)} ms for a quarter, ${large.toFixed(1)} ms for the whole`)
    })
  }
})
