import assert from 'node:assert/strict'
import { test } from 'node:test'
import { streamSafe } from './stream-safe.ts'

test('texts that people write stay as they are', () => {
  for (const text of ['', 'Zürich', 'Zu\u0308rich', `a${'\u0301'.repeat(8)}b${'\u0301'.repeat(8)}`, '日本語', '👍🏽'])
    assert.equal(streamSafe(text), text)
})

test('no more than eight marks stand in a row, of whichever plane', () => {
  for (const mark of ['\u0338', '\u{1D242}']) {
    const safe = streamSafe(`a${mark.repeat(100)}`)
    assert.equal(safe.replaceAll('\u034F', ''), `a${mark.repeat(100)}`)
    assert.ok(safe.split('\u034F').every((run) => Array.from(run).length <= 9))
  }
})
