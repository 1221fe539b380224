import assert from 'node:assert/strict'
import { test } from 'node:test'
import { prefersStrict } from './prefer.ts'

test('handling=strict is found in any case, quoted, with parameters, and among other preferences', () => {
  for (const header of [
    'handling=strict',
    'Handling=STRICT',
    'handling = strict',
    'handling="strict"',
    'handling="\\s\\trict"',
    'handling=strict; note="a, b; handling=lenient"',
    'respond-async, handling=strict',
    'wait=10,,\thandling=strict ,return=minimal',
    'foo="handling=lenient, \\" still quoted", handling=strict',
    'handling=strict, handling=lenient',
  ])
    assert.ok(prefersStrict(header), header)
  assert.ok(prefersStrict(['respond-async', 'handling=strict']))
})

test('anything else is not strict: another value, none, a parameter, a quoted text, and a second instance', () => {
  assert.ok(!prefersStrict(undefined))
  for (const header of [
    '',
    'handling',
    'handling=',
    'handling=lenient',
    'handling=strictly',
    'strict',
    'xhandling=strict',
    'foo; handling=strict',
    'foo="handling=strict"',
    'foo="bar, handling=strict',
    'handling=lenient, handling=strict',
    'handling, handling=strict',
    'handling="strict',
  ])
    assert.ok(!prefersStrict(header), header)
})
