import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLogLines } from './log-lines.ts'

/** A pipe that holds so many bytes until someone reads. */
function pipe(size: number) {
  let held = ''
  let isClosed = false
  return {
    put: (_fd: number, bytes: Buffer): number => {
      if (isClosed) throw Object.assign(new Error('broken pipe'), { code: 'EPIPE' })
      const length = Math.min(bytes.length, size - held.length)
      if (length === 0) throw Object.assign(new Error('try again'), { code: 'EAGAIN' })
      held += bytes.toString('latin1', 0, length)
      return length
    },
    read: () => {
      const text = held
      held = ''
      return text
    },
    close: () => (isClosed = true),
    open: () => (isClosed = false),
  }
}

test('a line is written when `write` returns', () => {
  const { put, read } = pipe(100)
  const lines = createLogLines(2, { put, onDropped: () => assert.fail() })
  lines.write('one\n')
  assert.equal(read(), 'one\n')
})

test('lines wait for a slow reader in order and complete, and past the bound they are dropped and counted', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { put, read } = pipe(6)
  const lines = createLogLines(2, { put, maxBytes: 12, onDropped: (count) => lines.write(`-${count}\n`) })
  for (const each of ['111\n', '222\n', '333\n', '444\n', '555\n', '666\n']) lines.write(each)
  let text = read()
  lines.write('777\n')
  for (let turn = 0; turn < 10; turn++) {
    t.mock.timers.tick(1000)
    text += read()
  }
  lines.write('888\n')
  text += read()
  assert.equal(text, '111\n222\n333\n444\n-3\n888\n')
})

test('lines without a reader are dropped, and the next reader gets their number', () => {
  const { put, read, close, open } = pipe(100)
  const dropped: number[] = []
  const lines = createLogLines(2, { put, onDropped: (count) => dropped.push(count) })
  close()
  for (let line = 0; line < 5; line++) lines.write('lost\n')
  open()
  lines.write('back\n')
  assert.equal(read(), 'back\n')
  assert.deepEqual(dropped, [5])
})

test('`finish` waits for the reader, and not for ever', () => {
  const { put, read } = pipe(4)
  let reads = 0
  let isRead = true
  const slowly = (fd: number, bytes: Buffer) => {
    if (isRead && ++reads % 3 === 0) read()
    return put(fd, bytes)
  }
  const lines = createLogLines(2, { put: slowly, onDropped: () => assert.fail() })
  lines.write('1111222233334444')
  lines.finish(60_000)
  assert.equal(read(), '4444')
  isRead = false
  lines.write('55556666')
  lines.finish(1)
  assert.equal(read(), '5555')
})
