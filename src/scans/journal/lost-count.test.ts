import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../../test/support/cleanup.ts'
import { openLostCount } from './lost-count.ts'

test('the count goes on where another process has left it, in a file that neither grows nor shrinks', (t) => {
  const file = join(temporaryFolder(t), 'lost-scans')
  const first = openLostCount(file, () => 0, assert.ifError)
  const { size, mode } = statSync(file)
  assert.equal(mode & 0o777, 0o600)
  first.add(3)
  first.add(39)
  // Not closed, as by a process that is killed.
  const second = openLostCount(file, () => 0, assert.ifError)
  assert.equal(second.total(), 42)
  second.add(1)
  assert.equal(statSync(file).size, size)
  second.close()
  const third = openLostCount(file, () => 0, assert.ifError)
  assert.equal(third.total(), 43)
  third.close()
  first.close()
})

test('a damaged count begins at zero and says so, and one that cannot be stored goes on in memory until it can', (t) => {
  const folder = temporaryFolder(t)
  const file = join(folder, 'lost-scans')
  writeFileSync(file, '00000000 0000000000000007\n')
  const faults: string[] = []
  const onFault = (error: unknown) => faults.push((error as Error).message)
  const damaged = openLostCount(file, () => 0, onFault)
  assert.deepEqual([damaged.total(), faults.length], [0, 1])
  damaged.add(1)
  damaged.close()
  assert.match(readFileSync(file, 'utf8'), /^[0-9a-f]{8} 0{15}1\n$/)

  rmSync(file)
  mkdirSync(file)
  chmodSync(file, 0o700)
  let time = 0
  const away = openLostCount(file, () => time, onFault)
  away.add(2)
  away.add(2)
  assert.deepEqual([away.total(), faults.length], [4, 3], 'a file that cannot be written is tried once a second')
  rmSync(file, { recursive: true })
  time += 1000
  away.add(1)
  away.close()
  const again = openLostCount(file, () => time, onFault)
  assert.deepEqual([again.total(), faults.length], [5, 3])
  again.close()
})
