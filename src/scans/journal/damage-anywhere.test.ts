import assert from 'node:assert/strict'
import fs, { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fc, runs } from '../../../test/support/fast-check.ts'
import { seedOf } from '../../../test/support/random.ts'
import { NOW, open, write, citiesOf } from '../../../test/support/fold-damaged.ts'

/** The start of each line, and the end of the last. */
function bordersOf(content: Buffer): number[] {
  const borders = [0]
  for (let end = content.indexOf('\n'); end !== -1; end = content.indexOf('\n', end + 1)) borders.push(end + 1)
  return borders
}

/** The batches that remain when a bit of the file is flipped or its end is cut off, computed from what was written. */
function modelOf(content: Buffer, batches: string[][], position: number, bit: number) {
  const borders = bordersOf(content)
  const hit = borders.findIndex((border) => border > position) - 1
  const isEnd = borders[hit + 1] === position + 1
  if (bit === 8) {
    const damaged = content.subarray(0, position)
    return { damaged, left: batches.slice(0, isEnd ? hit + 1 : hit).flat(), lost: 0, isRenamed: false }
  }
  const damaged = Buffer.from(content)
  damaged[position] = (damaged[position] ?? 0) ^ (1 << bit)
  const left = isEnd ? batches : batches.toSpliced(hit, 1)
  return { damaged, left: left.flat(), lost: isEnd ? 0 : (batches[hit]?.length ?? 0), isRenamed: true }
}

test('a bit flipped or an end cut off anywhere loses the scans of that line only, and these are counted', async (t) => {
  const seed = seedOf(t)
  let dies = false
  const { journal, warehouse, fold } = open(t, (intact) => ({
    ...intact,
    add(...args) {
      const counted = intact.add(...args)
      if (!dies) return counted
      dies = false
      throw new Error('died')
    },
  }))
  let linkId = 0
  const sizes = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 6 })
  // Bit 8 cuts the file. One position in four is a line end; by chance it would be one in a hundred.
  const place = fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), onEnd: fc.nat(3) })
  await fc.assert(
    fc.asyncProperty(sizes, place, fc.integer({ min: 0, max: 8 }), fc.boolean(), async (lines, where, bit, death) => {
      linkId++
      const batches = lines.map((size, line) => Array.from({ length: size }, (_, at) => `${linkId}-${line}-${at}`))
      const name = `${String(linkId).padStart(6, '0')}.scans`
      const content = write(journal, name, linkId, batches)
      const ends = bordersOf(content)
        .slice(1)
        .map((end) => end - 1)
      const byChance = Math.floor(where.at * content.length)
      const position = where.onEnd === 0 ? (ends[Math.floor(where.at * ends.length)] ?? 0) : byChance
      const { damaged, left, lost, isRenamed } = modelOf(content, batches, position, bit)
      writeFileSync(join(journal, name), damaged)
      write(journal, `${name}-next.scans`, linkId, [['next']])

      const before = warehouse.lost()
      dies = death
      let folded = await fold.run(readdirSync(journal).sort(), NOW).catch(() => undefined)
      const names = readdirSync(journal).filter((each) => each.endsWith('.scans'))
      folded ??= await fold.run(names.sort(), NOW)

      assert.deepEqual((await citiesOf(warehouse, linkId)).sort(), [...left, 'next'].sort())
      const counted = warehouse.lost() - before
      assert.ok(counted >= Math.min(lost, 1) && Math.abs(counted - lost) <= 1, `${counted} of ${lost} were counted`)
      if (lost === 0) assert.equal(counted, 0)
      assert.deepEqual(folded.failed, [])
      assert.deepEqual(readdirSync(journal), isRenamed ? [`${name}.damaged`] : [])
      if (!isRenamed) return
      assert.deepEqual(readFileSync(join(journal, `${name}.damaged`)), damaged)
      fs.unlinkSync(join(journal, `${name}.damaged`))
    }),
    { numRuns: runs(200), seed, endOnFailure: true },
  )
})
