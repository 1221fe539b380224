import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { dataUriOf } from '../src/qr/logo/logo.ts'
import { openSupplies } from '../src/qr/pool/tools.ts'
import { costlyLogos } from './support/costly-logos.ts'

const SMALL = 60_000

const dot = dataUriOf(Buffer.from('<svg viewBox="0 0 8 8"><path d="M0 0h8v8z"/></svg>'))

/** How often a logo and a larger one are compared at most: other load on the machine only adds to a time, now and then. */
const TIMES = 5

/** A large PNG of 16 bits takes five. */
const MOST_UNITS = 16

/** The CPU time in milliseconds that reading a logo takes. */
function timeOf(read: (dataUri: string) => unknown, file: Uint8Array): number {
  const uri = dataUriOf(file)
  // Evicts the logo from the cache, which holds one.
  read(dot)
  const start = process.threadCpuUsage()
  try {
    read(uri)
  } catch {
    // Most are refused; only the time matters.
  }
  const { user, system } = process.threadCpuUsage(start)
  return (user + system) / 1000
}

let read: (dataUri: string) => unknown
/** The CPU time for an ordinary drawing of the small size on this machine. */
let unit = 0

before(async () => {
  const { readLogo } = openSupplies()
  read = readLogo
  const plain = `<svg viewBox="0 0 8 8" xmlns="http://www.w3.org/2000/svg">${'<path d="M0 0h8v8z" fill="#123456"/>'.repeat(SMALL / 36)}</svg>`
  unit = Math.min(...Array.from({ length: 3 }, () => timeOf(read, Buffer.from(plain))))
})

const all = Object.entries(costlyLogos)

describe('the time to read a logo is linear in its size, with', () => {
  for (const [name, make] of all.filter(([, make]) => make.length > 0)) {
    test(name, () => {
      const [quarter, whole] = [make(SMALL), make(SMALL * 4)]
      const compared: string[] = []
      for (let time = 0; time < TIMES; time++) {
        // One right after the other: the speed of the machine varies.
        const small = Math.min(timeOf(read, quarter), timeOf(read, quarter))
        const large = timeOf(read, whole)
        // Quadratic work takes sixteen times as long; very short times are noise.
        if (large <= 8 * Math.max(small, unit)) return
        compared.push(`${small.toFixed(1)} ms for a quarter, ${large.toFixed(1)} ms for the whole`)
      }
      assert.fail(compared.join('; '))
    })
  }
})

describe('the time to read a logo that has one size is that of a few ordinary drawings, with', () => {
  for (const [name, make] of all.filter(([, make]) => make.length === 0)) {
    test(name, () => {
      const file = make(SMALL)
      const times = []
      for (let time = 0; time < TIMES; time++) {
        const took = timeOf(read, file)
        if (took <= MOST_UNITS * unit) return
        times.push(took.toFixed(1))
      }
      assert.fail(`${times.join(', ')} ms; an ordinary drawing takes ${unit.toFixed(1)}`)
    })
  }
})
