import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { problemTexts } from '../texts/problems.ts'
import { catalogue, Problem, type ProblemCode } from './problem.ts'
import { problemPage } from './problem-page.ts'

const requestIn = (language: string, customDomain?: string) =>
  ({
    id: 'request-7',
    url: '/m/token',
    headers: { 'accept-language': language },
    customDomain,
  }) as unknown as FastifyRequest

function shown(code: ProblemCode, language: string, retryAfter?: string, customDomain?: string): string {
  const headers = retryAfter === undefined ? {} : { 'retry-after': retryAfter }
  return problemPage(new Problem(code, 'what is wrong', { headers }), requestIn(language, customDomain)).body.markup
}

test('each problem has a title for people in each language', () => {
  for (const code of Object.keys(catalogue) as ProblemCode[]) {
    for (const language of ['en', 'de'] as const) {
      const page = problemPage(new Problem(code, 'x'), requestIn(language))
      assert.deepEqual([page.lang, page.title], [language, problemTexts[language].titles[code]])
      assert.ok(page.body.markup.includes(`<h1>${page.title.replaceAll("'", '&#39;')}</h1>`), code)
    }
  }
})

test('who has to wait reads for how long, in seconds or minutes', () => {
  assert.match(shown('rate_limited', 'en', '1'), /try again in 1 second\./)
  assert.match(shown('rate_limited', 'de', '1800'), /in 30 Minuten/)
  assert.match(shown('unavailable', 'en', '5'), /busy.*in 5 seconds\./)
  assert.match(shown('unavailable', 'de'), /in 5 Sekunden/, 'also where nothing else is known')
  assert.match(shown('rate_limited', 'de'), /später noch einmal/)
})

test('an internal error shows the number that its log line has; a problem of the client shows none', () => {
  assert.match(shown('internal_error', 'en'), /<code>request-7<\/code>/)
  assert.doesNotMatch(shown('unknown_code', 'en'), /request-7/)
})

test('every problem says what to do in the language of the page, without the detail of the API', () => {
  for (const code of Object.keys(catalogue) as ProblemCode[]) {
    if (code === 'link_ended') continue
    const [english, german] = [shown(code, 'en'), shown(code, 'de')].map((page) => /<p>([^<]+)<\/p>/.exec(page)?.[1])
    assert.ok(english && german && english !== german, code)
    assert.doesNotMatch(`${english} ${german}`, /what is wrong/i)
  }
  assert.match(shown('link_ended', 'de'), /what is wrong/, 'the text of its owner')
})

test('visitors of a short link, and of a custom domain, are not led to the service', () => {
  for (const code of ['unknown_code', 'code_gone', 'code_removed', 'link_ended'] as const) {
    assert.doesNotMatch(shown(code, 'en'), /href="\/"/)
  }
  assert.match(shown('not_found', 'en'), /href="\/"/)
  assert.doesNotMatch(shown('not_found', 'en', undefined, 'go.example.com'), /href="\/"/)
})
