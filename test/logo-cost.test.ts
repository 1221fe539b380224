import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { dataUriOf } from '../src/qr/logo/logo.ts'
import { openSupplies } from '../src/qr/pool/tools.ts'
import { costlyLogos } from './support/costly-logos.ts'

const SMALL = 60_000

const dot = dataUriOf(Buffer.from('<svg viewBox="0 0 8 8"><path d="M0 0h8v8z"/></svg>'))

const TIMES = 3

/**
 * The shortest of several times that reading a logo takes, because other load on the machine only adds to it.
 * @param enough measuring ends once a time is at most this
 */
function timeOf(read: (dataUri: string) => unknown, file: Uint8Array, enough = 0): number {
  const uri = dataUriOf(file)
  let shortest = Infinity
  for (let time = 0; time < TIMES && shortest > enough; time++) {
    // Evicts the logo from the cache, which holds one.
    read(dot)
    const start = process.threadCpuUsage()
    try {
      read(uri)
    } catch {
      // Most are refused; only the time matters.
    }
    const { user, system } = process.threadCpuUsage(start)
    shortest = Math.min(shortest, (user + system) / 1000)
  }
  return shortest
}

describe('the time to read a logo is linear in its size, with', () => {
  let read: (dataUri: string) => unknown
  let unit = 0
  before(async () => {
    const { readLogo } = openSupplies()
    read = readLogo
    // The time for an ordinary drawing of the small size on this machine.
    const plain = `<svg viewBox="0 0 8 8" xmlns="http://www.w3.org/2000/svg">${'<path d="M0 0h8v8z" fill="#123456"/>'.repeat(SMALL / 36)}</svg>`
    unit = timeOf(read, Buffer.from(plain))
  })

  for (const [name, make] of Object.entries(costlyLogos)) {
    test(name, () => {
      const small = timeOf(read, make(SMALL), unit)
      // Quadratic work takes sixteen times as long; very short times are noise.
      const bound = 8 * Math.max(small, unit)
      const large = timeOf(read, make(SMALL * 4), bound)
      assert.ok(large <= bound, `${small.toFixed(1)} ms for a quarter, ${large.toFixed(1)} ms for the whole`)
    })
  }
})
