import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keepSpareFiles } from './spare-files.ts'

const fault = (code: string) => Object.assign(new Error(code), { code })

test('work that finds too many open files is retried with the reserve, and other errors are not hidden', () => {
  const spare = keepSpareFiles(2)
  for (const code of ['EMFILE', 'ENFILE']) {
    let tries = 0
    const result = spare.use(() => {
      if (++tries === 1) throw fault(code)
      return 'done'
    })
    assert.deepEqual([result, tries], ['done', 2])
  }
  let tries = 0
  assert.throws(() => {
    spare.use(() => {
      tries++
      throw fault('ENOSPC')
    })
  }, /ENOSPC/)
  assert.equal(tries, 1)
  assert.throws(() => {
    spare.use(() => {
      throw fault('EMFILE')
    })
  }, /EMFILE/)
  spare.close()
})
