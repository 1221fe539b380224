import assert from 'node:assert/strict'
import { test } from 'node:test'
import { content } from '../../../test/support/stored-links.ts'
import { revertBody, revisionsOf } from './history.ts'

const owned = { link: { ...content, id: 1, revision: 7, updatedAt: 70 }, design: undefined }

test('a revision is the present one with the fields that later ones have replaced', () => {
  const revisions = revisionsOf(owned, [
    { revision: 6, at: 60, replaced: { title: 'six', active: false } },
    { revision: 3, at: 30, replaced: { title: null } },
  ])
  const { title, ...rest } = revisions[0]?.snapshot ?? {}
  assert.equal(title, content.title)
  assert.deepEqual(revisions, [
    {
      revision: 7,
      at: 70,
      snapshot: { ...rest, title },
      changes: { title: { before: 'six', after: title }, active: { before: false, after: true } },
    },
    {
      revision: 6,
      at: 60,
      snapshot: { ...rest, title: 'six', active: false },
      changes: { title: { before: null, after: 'six' } },
    },
    { revision: 3, at: 30, snapshot: { ...rest, title: null, active: false }, changes: null },
  ])
})

test('a revision from before a field existed has its value from before it was first set', () => {
  const present = { ...owned, design: { fg: '#800000' } }
  const stored = [
    { revision: 6, at: 60, replaced: { design: null } },
    { revision: 5, at: 50, replaced: { title: 'five' } },
  ]
  const body = revertBody(revisionsOf(present, stored), 5)
  assert.deepEqual([body['title'], body['design']], ['five', null])
})

test('a change that came after the link was read is in none of its revisions', () => {
  const later = { revision: 7, at: 70, replaced: { title: content.title, design: null } }
  const stored = [{ revision: 8, at: 80, replaced: { design: { fg: '#000080' } } }, later]
  const earlier = [{ revision: 6, at: 60, replaced: { title: 'six' } }]
  // The design was read after both changes.
  const read = { ...owned, design: { fg: '#800000' } }
  assert.deepEqual(revisionsOf(read, [...stored, ...earlier]), revisionsOf(owned, earlier))
})
