import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../../test/support/cleanup.ts'
import { changedFiles, recordSums } from './file-sums.ts'

const changedNames = (folder: string) => Object.keys(changedFiles(folder)).sort()

test('files that were changed, truncated or removed are reported once, and others are not', (t) => {
  const folder = temporaryFolder(t)
  mkdirSync(join(folder, 'deep'))
  const names = ['changed', 'deep/cut', 'removed', 'sound', 'ignored']
  for (const name of names) writeFileSync(join(folder, name), name.repeat(1000))
  recordSums(folder, (name) => name !== 'ignored')
  writeFileSync(join(folder, 'changed'), 'changes'.repeat(1000))
  truncateSync(join(folder, 'deep/cut'), 10)
  rmSync(join(folder, 'removed'))
  for (const name of ['new', 'ignored']) writeFileSync(join(folder, name), 'x')
  assert.deepEqual(changedNames(folder), ['changed', 'deep/cut', 'removed'])
  assert.deepEqual(changedNames(folder), [])
  assert.deepEqual(readdirSync(folder).sort(), ['changed', 'deep', 'ignored', 'new', 'sound'])
})

test('a damaged record is reported, and a record that cannot be written is removed', (t) => {
  const folder = temporaryFolder(t)
  recordSums(folder, () => true)
  assert.deepEqual(changedNames(folder), [])
  recordSums(folder, () => true)
  writeFileSync(join(folder, 'sums.json'), '{')
  assert.deepEqual(changedNames(folder), ['sums.json'])
  mkdirSync(join(folder, 'sound'))
  recordSums(folder, () => {
    throw new Error('it cannot be read')
  })
  assert.deepEqual(changedNames(folder), [])
})

test('an unreported change is found again, until the file has its former sum', (t) => {
  const folder = temporaryFolder(t)
  const file = join(folder, 'file')
  const all = () => true
  writeFileSync(file, 'as it was')
  recordSums(folder, all)
  writeFileSync(file, 'changed')
  recordSums(folder, all, changedFiles(folder))
  recordSums(folder, all, changedFiles(folder))
  const found = changedFiles(folder)
  assert.deepEqual(Object.keys(found), ['file'])
  recordSums(folder, all, found)
  writeFileSync(file, 'as it was')
  assert.deepEqual(changedNames(folder), [])
})

test('a file that is too large to be read does not keep the others from being recorded', (t) => {
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, 'a'), '')
  truncateSync(join(folder, 'a'), 2 ** 29)
  writeFileSync(join(folder, 'b'), 'small')
  recordSums(folder, () => true)
  assert.deepEqual(Object.keys(JSON.parse(readFileSync(join(folder, 'sums.json'), 'utf8')) as object), ['b'])
})
