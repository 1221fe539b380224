import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../test/support/cleanup.ts'
import { changedFiles, noteFiles } from './kept-files.ts'

const changedNames = (folder: string) => Object.keys(changedFiles(folder)).sort()

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
  assert.deepEqual(changedNames(folder), ['changed', 'deep/cut', 'removed'])
  assert.deepEqual(changedNames(folder), [])
  assert.deepEqual(readdirSync(folder).sort(), ['changed', 'deep', 'ignored', 'new', 'sound'])
})

test('notes that are damaged are told, and where none can be made there are none', (t) => {
  const folder = temporaryFolder(t)
  noteFiles(folder, () => true)
  assert.deepEqual(changedNames(folder), [])
  noteFiles(folder, () => true)
  writeFileSync(join(folder, 'sums.json'), '{')
  assert.deepEqual(changedNames(folder), ['sums.json'])
  mkdirSync(join(folder, 'sound'))
  noteFiles(folder, () => {
    throw new Error('it cannot be read')
  })
  assert.deepEqual(changedNames(folder), [])
})

test('what nobody has been told of is found again, until the file is as it was', (t) => {
  const folder = temporaryFolder(t)
  const file = join(folder, 'file')
  const all = () => true
  writeFileSync(file, 'as it was')
  noteFiles(folder, all)
  writeFileSync(file, 'changed')
  noteFiles(folder, all, changedFiles(folder))
  noteFiles(folder, all, changedFiles(folder))
  const found = changedFiles(folder)
  assert.deepEqual(Object.keys(found), ['file'])
  noteFiles(folder, all, found)
  writeFileSync(file, 'as it was')
  assert.deepEqual(changedNames(folder), [])
})

test('a file that is too large to be looked at keeps no other from being noted', (t) => {
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, 'a'), '')
  truncateSync(join(folder, 'a'), 2 ** 29)
  writeFileSync(join(folder, 'b'), 'small')
  noteFiles(folder, () => true)
  assert.deepEqual(Object.keys(JSON.parse(readFileSync(join(folder, 'sums.json'), 'utf8')) as object), ['b'])
})
