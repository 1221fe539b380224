import { readLooks } from '../../collections/looks.ts'
import { readUpdate } from '../../collections/read-collection.ts'
import { invalidRequest, Problem } from '../../http/problem.ts'
import { ownValue } from '../../lib/own-value.ts'
import { withScheme } from '../../lib/with-scheme.ts'
import { collectionTexts } from '../../texts/collection.ts'
import type { Language } from '../../texts/language.ts'
import { problemTexts } from '../../texts/problems.ts'
import { settingsTexts } from '../../texts/settings.ts'
import { refusalText } from '../faults.ts'
import { endedPage, rotatedPage } from './once.ts'
import type { FormName } from './view.ts'
import { idempotentForm, type CollectionOutcome, type CollectionSubmission } from './submission.ts'
import { createShare, revokeShare } from './shares.ts'
import { removeWebhook, renewSecret, setWebhook } from './webhook.ts'

type CollectionAction = (submission: CollectionSubmission) => Promise<CollectionOutcome>

/** What the forms do, by their field `action`. */
export const collectionActions: Record<string, CollectionAction> = {
  create: (submission) => noticing(submission, 'create', ['target', 'title', 'campaign'], createLink),
  join: (submission) => noticing(submission, 'join', ['tokens'], joinLinks),
  rename: (submission) =>
    noticing(submission, 'settings', ['name'], async ({ collections, token, client, form }) => {
      const { name = null } = readUpdate({ name: form.get('name')?.trim() || null })
      await collections.rename(token, name, client)
      return { done: 'renamed' }
    }),
  rotate: (submission) =>
    noticing(submission, 'settings', [], async ({ collections, token, client, form, ...rest }) => {
      const collection = await collections.find(token)
      const next = await collections.rotate(token, client, idempotentForm(form, ['rotate', token]))
      return { page: rotatedPage({ origin: client.origin, token: next, replaced: token, collection }, rest) }
    }),
  share: (submission) => noticing(submission, 'shares', ['name'], createShare),
  'revoke-share': (submission) => noticing(submission, 'shares', [], revokeShare),
  webhook: (submission) => noticing(submission, 'webhook', ['webhook_url', 'events'], setWebhook),
  'webhook-secret': (submission) => noticing(submission, 'webhook', [], renewSecret),
  'webhook-removal': (submission) => noticing(submission, 'webhook', [], removeWebhook),
  end: (submission) => noticing(submission, 'settings', [], endCollection),
  campaign: (submission) => changeSelected(submission, { campaign: submission.form.get('campaign')?.trim() || null }),
  look: (submission) => changeSelected(submission, { design: { look: submission.form.get('look') ?? '' } }),
  'save-look': (submission) => noticing(submission, 'looks', [], saveLook),
  'remove-look': (submission) =>
    noticing(submission, 'looks', [], async ({ collections, client, token, form }) => {
      await collections.changeLooks(token, readLooks({ [form.get('look') ?? '']: null }), client)
      return { done: 'removed', at: 'looks' }
    }),
  pause: (submission) => changeSelected(submission, { active: false }),
  resume: (submission) => changeSelected(submission, { active: true }),
  leave: (submission) =>
    onSelected(submission, 'left', ({ collections, token }, code) => collections.leave(token, code)),
  async delete(submission) {
    const { form, language } = submission
    if (form.get('sure') !== 'yes') return refused(collectionTexts[language].selected.unsure)
    const outcome = await onSelected(submission, 'deleted', async ({ links, token }, code) => {
      await links.deleteWithUndo({ collectionToken: token, code }, undefined)
    })
    // The response itself brings them back: no address has room for all their codes.
    if (!('done' in outcome)) return outcome
    const { deleted: text } = collectionTexts[language].notices
    return { notice: { at: 'links', text, deleted: codesOf(form) } }
  },
  undelete: (submission) =>
    onSelected(submission, 'undeleted', async ({ links, client, token }, code) => {
      await links.undelete({ collectionToken: token, code }, client)
    }),
}

/** Runs a form; a problem is shown in its part of the page, with what was typed. */
async function noticing(
  submission: CollectionSubmission,
  at: FormName,
  fields: string[],
  act: CollectionAction,
): Promise<CollectionOutcome> {
  const { form, language } = submission
  try {
    return await act(submission)
  } catch (error) {
    if (!(error instanceof Problem) || error.code === 'collection_not_found') throw error
    const values = Object.fromEntries(fields.map((name) => [name, form.getAll(name).join(' ').slice(0, 20_000)]))
    return { notice: { at, text: textOf(error, at, language), problem: error, values } }
  }
}

function textOf(error: Problem, at: FormName, language: Language): string {
  if (at === 'looks' && error.code === 'invalid_request') return collectionTexts[language].looks.fault
  const isMarked = error.errors.some(({ pointer }) => pointer.startsWith('/webhook'))
  return isMarked ? settingsTexts[language].refused.marked : refusalText(error, language)
}

async function createLink(submission: CollectionSubmission): Promise<CollectionOutcome> {
  const { links, client, token, form, requireCreation } = submission
  await requireCreation()
  const text = (name: string) => form.get(name)?.trim() || undefined
  const target = text('target')
  const [title, campaign] = [text('title'), text('campaign')]
  const body = {
    ...(target !== undefined && { target: withScheme(target) }),
    ...(title !== undefined && { title }),
    ...(campaign !== undefined && { campaign }),
  }
  const idempotentRequest = idempotentForm(form, ['create', token, body])
  const { code } = await links.create(body, client, { collection: token, idempotentRequest, recreates: true })
  return { done: 'created', path: `/${code}` }
}

async function joinLinks(submission: CollectionSubmission): Promise<CollectionOutcome> {
  const { collections, client, chargeNotFound, token, form, language } = submission
  const texts = collectionTexts[language].join
  const lines = (form.get('tokens') ?? '').split(/\s+/).filter((line) => line !== '')
  if (lines.length === 0) return refused(texts.none, 'join')
  if (lines.length > 500) throw invalidRequest([{ pointer: '/tokens', detail: 'must hold at most 500 items' }])
  const tokens = lines.map((line) => /\/m\/([^/?#]+)/.exec(line)?.[1] ?? line)
  const { failed, results } = await collections.join(token, tokens, client, chargeNotFound)
  if (failed === 0) return { done: 'added', at: 'links' }
  const left = lines.filter((_line, at) => 'error' in (results[at] ?? {}))
  return refused(texts.failed(failed), 'join', { tokens: left.join('\n') })
}

/** Keeps the design of a link as a look. */
async function saveLook({ collections, links, client, token, form }: CollectionSubmission): Promise<CollectionOutcome> {
  const { design } = await links.readByToken({ collectionToken: token, code: form.get('code') ?? '' })
  const look = design ?? {}
  await collections.changeLooks(token, readLooks({ [form.get('name')?.trim() ?? '']: look }), client)
  return { done: 'kept', at: 'looks' }
}

async function endCollection({ collections, token, form, language }: CollectionSubmission): Promise<CollectionOutcome> {
  if (form.get('sure') !== 'yes') return refused(collectionTexts[language].selected.unsure, 'settings')
  if (form.get('links') === 'yes') return { page: endedPage(language, await collections.removeWithLinks(token)) }
  await collections.remove(token)
  return { page: endedPage(language, undefined) }
}

function refused(text: string, at: FormName = 'links', values: Record<string, string> = {}): CollectionOutcome {
  return { notice: { at, text, values, problem: new Problem('invalid_request', text) } }
}

/** Makes the same change to each selected link, or to all that the list finds. Those that refuse it are named. */
async function changeSelected(submission: CollectionSubmission, change: object): Promise<CollectionOutcome> {
  const { form, language, codesFound, changeRows } = submission
  const texts = collectionTexts[language]
  const codes = form.get('all') === 'yes' ? await codesFound() : codesOf(form)
  if (codes.length === 0) return refused(texts.selected.none)
  return noticing(submission, 'links', [], async () => {
    const results = await changeRows(codes.map((code) => ({ code, ...change })))
    const failed = results.flatMap((row) =>
      'error' in row ? [{ code: codes[row.index] ?? '', error: row.error }] : [],
    )
    const [first] = failed
    if (first === undefined) return { done: 'changed', at: 'links' }
    const left = failed.map(({ code, error }) => ({
      code,
      why: ownValue(problemTexts[language].titles, error.code) ?? error.detail,
    }))
    const problem = new Problem('invalid_request', first.error.detail)
    return { notice: { at: 'links', text: texts.notices.partly, problem, left } }
  })
}

/** Links that are changed at the same time. */
const AT_ONCE = 10
/** As many as a page of the list has. */
const MAX_SELECTED = 200

function codesOf(form: URLSearchParams): string[] {
  return [...new Set(form.getAll('code'))].slice(0, MAX_SELECTED)
}

/** Does something with each selected link. What one of them refuses does not keep the others from it. */
async function onSelected(
  submission: CollectionSubmission,
  done: string,
  change: (submission: CollectionSubmission, code: string) => Promise<void>,
): Promise<CollectionOutcome> {
  const { form, language } = submission
  const codes = codesOf(form)
  if (codes.length === 0) return refused(collectionTexts[language].selected.none)
  const problems: Problem[] = []
  for (let at = 0; at < codes.length; at += AT_ONCE) {
    const outcomes = await Promise.allSettled(codes.slice(at, at + AT_ONCE).map((code) => change(submission, code)))
    for (const outcome of outcomes) {
      if (outcome.status === 'fulfilled') continue
      const error: unknown = outcome.reason
      if (!(error instanceof Problem)) throw error
      problems.push(error)
    }
  }
  const [first] = problems
  if (first === undefined) return { done, at: 'links' }
  const { partly } = collectionTexts[language].notices
  return { notice: { at: 'links', text: `${partly} ${refusalText(first, language)}`, problem: first } }
}
