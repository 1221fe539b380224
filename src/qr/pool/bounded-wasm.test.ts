import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { boundWasm } from './bounded-wasm.ts'

const PAGE = 65_536
const PREAMBLE = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00]
/** Exports the first memory as "m". */
const EXPORT = [7, 5, 1, 1, 0x6d, 2, 0]

/** A module that has a memory with these limits. */
const withMemory = (...section: number[]) => Uint8Array.from([...PREAMBLE, 5, section.length, ...section, ...EXPORT])

interface Memory {
  grow: (pages: number) => number
}

/** What Node has and its types do not. */
const { WebAssembly } = globalThis as typeof globalThis & {
  WebAssembly: {
    instantiate: (module: Uint8Array) => Promise<{ instance: { exports: { m: Memory } } }>
    validate: (module: Uint8Array) => boolean
  }
}

const memoryOf = async (module: Uint8Array) => (await WebAssembly.instantiate(module)).instance.exports.m

for (const [name, module] of [
  ['no maximum', withMemory(1, 0, 1)],
  ['a larger maximum', withMemory(1, 1, 1, 0x80, 0x80, 1)],
] as const)
  test(`a module whose memory has ${name} gets no more than its bound`, async () => {
    const memory = await memoryOf(boundWasm(module, 300 * PAGE))
    assert.equal(memory.grow(299), 1)
    assert.throws(() => memory.grow(1), RangeError)
    assert.equal((await memoryOf(module)).grow(300), 1)
  })

test('the module of the renderer has a memory of its own, which can be bounded', () => {
  const module = readFileSync(new URL(import.meta.resolve('@resvg/resvg-wasm/index_bg.wasm')))
  assert.ok(WebAssembly.validate(boundWasm(module, 1024 * PAGE)))
})

for (const [name, module, says] of [
  ['no memory', Uint8Array.from(PREAMBLE), /no memory of its own/],
  ['a shared memory', withMemory(1, 3, 1, 2), /another kind of memory/],
  ['two memories', withMemory(2, 0, 1, 0, 1), /another kind of memory/],
  ['more memory from the beginning', withMemory(1, 0, 9), /needs 9 pages/],
  ['a damaged size', Uint8Array.from([...PREAMBLE, 5, 0xff, 0xff, 0xff, 0xff, 0xff]), /is damaged/],
] as const)
  test(`a module with ${name} is refused`, () => {
    assert.throws(() => boundWasm(module, 8 * PAGE), says)
  })
