import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyCharacter, fc } from '../../../test/support/fast-check.ts'
import {
  crawlers,
  handLabelled,
  presentAgents,
  secondOpinions,
  type Corpus,
} from '../../../test/support/agent-corpus.ts'
import { crawlerAgents, peopleAgents } from '../../../test/support/agent-lists.ts'
import { browsers, devices, systems } from '../../lib/agent-tables.ts'
import { createAgentParser } from './agent.ts'

const read = createAgentParser()
const nothing = { device: null, os: null, browser: null }

/** The share of the corpus' labels that the parser agrees with, in percent; prints it with the differences. */
function agreement(print: (line: string) => void, { samples }: Corpus, field: 'os' | 'browser' | 'device'): number {
  const labelled = samples.filter((sample) => sample[field] !== undefined)
  const others = labelled.filter((sample) => read(sample.userAgent)[field] !== sample[field])
  const percent = (100 * (labelled.length - others.length)) / labelled.length
  print(`${field.padEnd(8)} ${percent.toFixed(1)} % of ${labelled.length}`)
  for (const other of others) print(`  not ${other[field]} but ${read(other.userAgent)[field]}: ${other.userAgent}`)
  return percent
}

test('the parser agrees with a corpus of user agents that was labelled by hand', (t) => {
  const corpus = handLabelled()
  assert.ok(corpus.samples.length > 470, `there are only ${corpus.samples.length}`)
  assert.ok(agreement(t.diagnostic.bind(t), corpus, 'os') >= 97)
  assert.ok(agreement(t.diagnostic.bind(t), corpus, 'browser') >= 95)
  assert.ok(agreement(t.diagnostic.bind(t), corpus, 'device') >= 90)
  t.diagnostic(`left out: ${[...corpus.leftOut].map(([label, count]) => `${label} ${count}`).join(', ')}`)
})

test('the parser mostly agrees with another parser', (t) => {
  const corpus = secondOpinions()
  assert.ok(agreement(t.diagnostic.bind(t), corpus, 'os') >= 97)
  assert.ok(agreement(t.diagnostic.bind(t), corpus, 'browser') >= 90)
  t.diagnostic(`left out: ${[...corpus.leftOut].map(([label, count]) => `${label} ${count}`).join(', ')}`)
})

test('the browsers and apps of this decade are recognised, and are not bots', () => {
  for (const { userAgent, os, browser, device } of presentAgents) {
    assert.deepEqual(read(userAgent), { device, os, browser, bot: false }, userAgent)
  }
})

test('crawlers, previewers and tools are bots, and browsers are not', (t) => {
  const people = [...handLabelled().samples, ...secondOpinions().samples].filter(({ bot }) => bot === false)
  const visitors = new Set([
    ...people.map(({ userAgent }) => userAgent),
    ...presentAgents.map(({ userAgent }) => userAgent),
  ])
  const missed = crawlers.filter((userAgent) => !read(userAgent).bot)
  const accused = [...visitors].filter((userAgent) => read(userAgent).bot)
  t.diagnostic(`bots     ${crawlers.length - missed.length} of ${crawlers.length}`)
  t.diagnostic(`visitors ${visitors.size - accused.length} of ${visitors.size}`)
  for (const userAgent of accused) t.diagnostic(`  taken for a bot: ${userAgent}`)
  assert.deepEqual(missed, [])
  assert.ok(accused.length / visitors.size < 0.005)
  for (const { userAgent, bot } of handLabelled().samples) if (bot === true) assert.ok(read(userAgent).bot, userAgent)
})

test('of the crawlers and the people that others have met, fewer than one in 200 is taken for the other', (t) => {
  const [bots, people] = [crawlerAgents(), peopleAgents()]
  const missed = bots.filter((userAgent) => !read(userAgent).bot)
  const accused = people.filter((userAgent) => read(userAgent).bot)
  t.diagnostic(`bots     ${bots.length - missed.length} of ${bots.length}`)
  for (const userAgent of missed) t.diagnostic(`  taken for a person: ${userAgent}`)
  t.diagnostic(`people   ${people.length - accused.length} of ${people.length}`)
  for (const userAgent of accused) t.diagnostic(`  taken for a bot: ${userAgent}`)
  assert.ok(bots.length > 2000 && people.length > 900)
  assert.ok(missed.length / bots.length < 0.005)
  assert.ok(accused.length / people.length < 0.005)
})

test('the system, the browser and the device of people are known', (t) => {
  const people = peopleAgents()
  for (const field of ['os', 'browser', 'device'] as const) {
    const unknown = people.filter((userAgent) => read(userAgent)[field] === null)
    t.diagnostic(`${field.padEnd(8)} ${people.length - unknown.length} of ${people.length}`)
    for (const userAgent of unknown) t.diagnostic(`  unknown: ${userAgent}`)
    assert.ok(unknown.length / people.length < 0.005, field)
  }
})

test('a client without a user agent is a bot', () => {
  for (const userAgent of [undefined, '', ' ', '\t']) assert.deepEqual(read(userAgent), { ...nothing, bot: true })
})

test('the result has only names of the tables, never text of the user agent', () => {
  const names = new Set<string | null>([null, ...[...systems, ...browsers, ...devices].map(({ name }) => name)])
  const word = fc.constantFrom(...presentAgents.flatMap(({ userAgent }) => userAgent.split(/(?<=[ ;()/])/)))
  const agent = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 2000 }),
    fc
      .array(fc.oneof({ weight: 3, arbitrary: word }, fc.string({ unit: anyCharacter })), { maxLength: 40 })
      .map((parts) => parts.join('')),
  )
  fc.assert(
    fc.property(agent, (userAgent) => {
      const { device, os, browser, bot } = read(userAgent)
      for (const name of [device, os, browser]) assert.ok(names.has(name), String(name))
      assert.equal(typeof bot, 'boolean')
    }),
    { numRuns: 1000 },
  )
  for (const name of names) assert.match(name ?? '', /^[\w !]*$/, 'a name must be harmless wherever it is shown')
})

test('names of JavaScript properties, control characters and malformed text get no name', () => {
  const odd = [
    '__proto__',
    'constructor',
    'hasOwnProperty',
    '\0',
    '\x1b[2J',
    '\ufffd\ufffd',
    '\ud800',
    'Ã©',
    '=1+1',
    '<b>',
  ]
  for (const userAgent of odd) {
    const { bot: _, ...names } = read(userAgent)
    assert.deepEqual(names, nothing, JSON.stringify(userAgent))
  }
})

test('only the first 512 characters are parsed', () => {
  const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0'
  assert.equal(read(`${'x'.repeat(511)} ${firefox}`).browser, null)
  assert.equal(read(firefox + ' '.repeat(8192) + 'Edg/141.0').browser, 'Firefox')
  assert.equal(read(firefox.padEnd(512, '.')).browser, 'Firefox')
  assert.deepEqual(read('('.repeat(8192)), { ...nothing, bot: true })
})

test('a repeated user agent comes from the cache', () => {
  const userAgent = presentAgents[0]?.userAgent
  assert.equal(read(userAgent), read(userAgent))
  assert.notEqual(createAgentParser()(userAgent), read(userAgent))
})
