import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder, undoLater } from '../../../test/support/cleanup.ts'
import { openJournal } from './journal.ts'
import { openJournalFile, readJournalFile } from './journal-file.ts'
import type { Scan } from '../scan.ts'
import { noValues } from '../../../test/support/no-values.ts'

const scan: Scan = {
  ...noValues,
  linkId: 1,
  at: 0,
  source: 'qr',
  device: null,
  os: null,
  browser: null,
  country: null,
  city: null,
  referrer: null,
  bot: false,
  answer: null,
  visitor: null,
}

test('a journal that could not be written recovers at the next fold, also when no visit comes', (t) => {
  const folder = join(temporaryFolder(t), 'journal')
  let time = 0
  const failures: number[] = []
  const journal = openJournal({
    folder,
    sync: false,
    now: () => time,
    monotonic: () => time,
    onUncounted: (error) => assert.fail(String(error)),
    onFailure: (_error, lost) => failures.push(lost),
    onThrow: (error) => assert.fail(String(error)),
  })
  undoLater(t, () => journal.close())
  const record = () => {
    let isCalled = false
    journal.record(scan, () => (isCalled = true))
    journal.flush()
    assert.ok(isCalled, 'the visit gets its response whether or not its scan could be written')
  }

  renameSync(folder, `${folder}-away`)
  record()
  assert.deepEqual(journal.status(), { failing: true, lost: 1, recorded: 0 })

  time += 1000
  mkdirSync(folder)
  assert.deepEqual(journal.rotate(), { closed: [], growing: undefined })
  assert.deepEqual(journal.status(), { failing: false, lost: 1, recorded: 0 })
  assert.equal(journal.backlog(), 0, 'a file without scans waits for nothing')
  record()
  assert.ok(journal.backlog() > 0)
  const parts = journal.rotate().closed.flatMap((file) => [...readJournalFile(join(folder, file), 0)])
  assert.deepEqual(
    parts.map(({ scans, lost, isDamaged }) => ({ scans: scans.length, lost, isDamaged })),
    [
      { scans: 0, lost: 0, isDamaged: false },
      { scans: 1, lost: 0, isDamaged: false },
    ],
  )
  assert.deepEqual(failures, [1])
})

test('the line of a scan that the link itself answered is as before links had rules, and each line is read as written', (t) => {
  const file = join(temporaryFolder(t), '0.scans')
  const writer = openJournalFile(file, false)
  writer.append([scan])
  writer.append([{ ...scan, answer: 20 }])
  writer.close()
  const [before, after] = readFileSync(file, 'utf8').split('\n')
  assert.equal(before?.slice(9), '[[1,0,1,null,null,null,null,null,null,0,null]]')
  assert.equal(after?.slice(9), '[[1,0,1,null,null,null,null,null,null,0,null,20]]')
  assert.deepEqual(
    [...readJournalFile(file, 0)].map(({ scans }) => scans[0]),
    [scan, { ...scan, answer: 20 }],
  )
})

test('the oldest scan that waits is known, also after a restart, and of files that are empty there is none', (t) => {
  const folder = join(temporaryFolder(t), 'journal')
  let time = 1000
  const open = () => {
    const clocks = { now: () => time, monotonic: () => time }
    const journal = openJournal({
      folder,
      sync: false,
      ...clocks,
      onFailure: assert.ifError,
      onUncounted: assert.ifError,
      onThrow: assert.ifError,
    })
    return journal
  }
  const first = open()
  assert.equal(first.oldest(), undefined)
  for (const at of [990, 2000, 3000]) {
    time = at + 10
    first.record({ ...scan, at }, () => {})
    first.flush()
    if (at === 2000) first.rotate()
  }
  assert.equal(first.oldest(), 990)
  const [oldest = ''] = first.rotate().closed
  rmSync(join(folder, oldest))
  assert.equal(first.oldest(), 3000)
  first.close()
  // The file has the time at which it was created, which is that of its first scan but for a moment.
  const again = open()
  undoLater(t, again.close)
  assert.equal(again.oldest(), 3010)
})
