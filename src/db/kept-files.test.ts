import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../test/support/cleanup.ts'
import { changedFiles, noteFiles } from './kept-files.ts'

test('files that are changed, cut or removed after they were noted are told once, and others are not', (t) => {
  const folder = temporaryFolder(t)
  mkdirSync(join(folder, 'deep'))
  const names = ['changed', 'deep/cut', 'removed', 'sound', 'ignored']
  for (const name of names) writeFileSync(join(folder, name), name.repeat(1000))
  noteFiles(folder, (name) => name !== 'ignored')
  writeFileSync(join(folder, 'changed'), 'changes'.repeat(1000))
  truncateSync(join(folder, 'deep/cut'), 10)
  rmSync(join(folder, 'removed'))
  for (const name of ['new', 'ignored']) writeFileSync(join(folder, name), 'x')
  assert.deepEqual(changedFiles(folder).sort(), ['changed', 'deep/cut', 'removed'])
  assert.deepEqual(changedFiles(folder), [])
  assert.deepEqual(readdirSync(folder).sort(), ['changed', 'deep', 'ignored', 'new', 'sound'])
})

test('notes that are damaged are told, and where none can be made there are none', (t) => {
  const folder = temporaryFolder(t)
  noteFiles(folder, () => true)
  assert.deepEqual(changedFiles(folder), [])
  noteFiles(folder, () => true)
  writeFileSync(join(folder, 'sums.json'), '{')
  assert.deepEqual(changedFiles(folder), ['sums.json'])
  mkdirSync(join(folder, 'sound'))
  noteFiles(folder, () => {
    throw new Error('it cannot be read')
  })
  assert.deepEqual(changedFiles(folder), [])
})
