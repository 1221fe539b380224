import { randomUUID } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { listParameters, listQueryOf, writeCursor, type ListParameters } from '../../collections/list-query.ts'
import type { ListQuery } from '../../collections/listing.ts'
import type { Collections } from '../../collections/open.ts'
import type { CampaignCount } from '../../collections/overview.ts'
import { changeInBatches } from '../../collections/spreadsheet/change-in-batches.ts'
import type { CollectionStatsNeeds } from '../../collections/stats-routes.ts'
import { countingFor, type TotalsNeeds } from '../../collections/totals.ts'
import { pageLanguage } from '../../http/accept.ts'
import { redirectToPage, sendPage } from '../../http/document.ts'
import { Problem } from '../../http/problem.ts'
import { route, type Route } from '../../http/route.ts'
import { createValidator } from '../../http/validate.ts'
import type { CreationGate } from '../../keys/open.ts'
import { forbidCaching } from '../../links/api/owner-routes.ts'
import { clientOf, type WriteNeeds } from '../../links/api/write-needs.ts'
import type { CollectionShares } from '../../shares/of-collections.ts'
import type { Limits } from '../../limits/open.ts'
import { ownValue } from '../../lib/own-value.ts'
import { collectionTexts } from '../../texts/collection.ts'
import type { Language } from '../../texts/language.ts'
import { sharingTexts } from '../../texts/settings-sharing.ts'
import { scriptsOf, type Assets } from '../assets.ts'
import { keyIn } from '../creation.ts'
import { formOf } from '../form-body.ts'
import { createFormIdempotency, type FormIdempotency } from '../form-idempotency.ts'
import { loadStatistics } from '../statistics/load.ts'
import { sourceOfCollection } from '../statistics/of-collection.ts'
import { FORM_LIMIT } from '../read-form.ts'
import { collectionActions } from './actions.ts'
import type { CollectionOutcome, CollectionSubmission } from './submission.ts'
import { collectionPage } from './page.ts'
import { pathOf, type CollectionNotice, type CollectionView, type FormName } from './view.ts'

/** What the page needs from the rest of the program. */
export interface CollectionPageNeeds extends WriteNeeds {
  collections: Collections
  shares: CollectionShares
  scans: TotalsNeeds['scans']
  limits: WriteNeeds['limits'] & TotalsNeeds['limits']
  creation: Pick<CreationGate, 'mode' | 'require'>
  /** False when the operator has turned webhooks off. */
  hasWebhooks: boolean
  turnToRender: Limits['turnToRender']
  assets: Pick<Assets, 'islands'>
  reading: CollectionStatsNeeds
  /** Whether the licence of the city database requires a link on pages. */
  isCreditDue: () => boolean
}

interface CollectionRoute {
  Params: { token: string }
  Querystring: Record<string, string>
}
type CollectionRequest = FastifyRequest<CollectionRoute>

const hidden = { schema: { hide: true } }

/** The page of a collection and its forms: `/c/<token>` */
export function collectionPageRoutes(needs: CollectionPageNeeds): Record<'show' | 'act', Route> {
  const idempotency = createFormIdempotency<CollectionOutcome>(
    (outcome) => !('notice' in outcome && outcome.notice.problem),
  )
  return {
    show: route<CollectionRoute>({
      ...hidden,
      onSend: forbidCaching,
      config: { work: 'pages' },
      handler: (request, reply) => showCollection(needs, request, reply),
    }),
    act: route<CollectionRoute>({
      ...hidden,
      onSend: forbidCaching,
      bodyLimit: FORM_LIMIT,
      config: { work: 'batches', isCharged: true },
      // A wrong token is refused before the form is read; a second press may find the collection ended by the first.
      async onRequest({ params: { token } }) {
        if (!idempotency.has(token)) await needs.collections.find(token)
      },
      handler: (request, reply) => actOnCollection(needs, idempotency, request, reply),
    }),
  }
}

async function showCollection(
  needs: CollectionPageNeeds,
  request: CollectionRequest,
  reply: FastifyReply,
  notice = doneOf(request),
): Promise<FastifyReply> {
  const view = await viewOf(needs, request)
  await needs.turnToRender(request)
  const { status = 200, headers = {} } = notice?.problem ?? {}
  reply.code(status).headers({ ...headers, vary: 'accept-language' })
  return sendPage(reply, collectionPage(view, notice))
}

async function viewOf(needs: CollectionPageNeeds, request: CollectionRequest): Promise<CollectionView> {
  const { collections, origin, creation, assets } = needs
  const { token } = request.params
  const collection = await collections.find(token)
  const counting = countingFor(needs, request)
  const { asked, query } = listOf(request.query, collection.id)
  const overview = await collections.overview(collection, counting)
  const campaigns = offered(overview.campaigns)
  const [{ links, next }, statistics] = await Promise.all([
    collections.list(collection, query, counting),
    loadStatistics(sourceOfCollection(needs.reading, request, collection), request),
  ])
  return {
    token,
    overview: { ...overview, campaigns },
    shares: await needs.shares.list(collection.id),
    statistics,
    credit: needs.isCreditDue(),
    looks: await collections.lookNames(collection),
    webhook: await collections.webhookOf(collection),
    hasWebhooks: needs.hasWebhooks,
    asked,
    links,
    next: next === undefined ? null : writeCursor(next, query, collection.id),
    origin: origin.of(request),
    language: pageLanguage(request),
    creation: creation.mode,
    isCreated: request.method === 'GET' && Object.hasOwn(request.query, 'created'),
    formKey: randomUUID(),
    scripts: scriptsOf(assets.islands, 'collection', 'statistics'),
  }
}

/** Characters of the campaigns that the page offers in its three choices, each of which has them all twice: half a megabyte at most. */
const MAX_OFFERED = 12_000

/** The largest campaigns, as many as have so many characters together. */
function offered(campaigns: CampaignCount[]): CampaignCount[] {
  let left = MAX_OFFERED
  return campaigns.filter(({ value }) => (left -= value?.length ?? 0) >= 0)
}

const validate = createValidator(listParameters)

/** What the address says of the list; what it says wrongly is as if it said nothing. */
function askedOf(query: Record<string, string>): ListParameters {
  const { q, campaign, state, sort, cursor } = query
  const given = { q, campaign, state, sort, cursor }
  const entries = Object.entries(given).filter(([name, value]) => isValid(name, value))
  return Object.fromEntries(entries)
}

/** A cursor of another list, as after an edit of the address, shows the beginning of this one. */
function listOf(query: Record<string, string>, collectionId: string): { asked: ListParameters; query: ListQuery } {
  const asked = askedOf(query)
  try {
    return { asked, query: listQueryOf(asked, collectionId) }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const { cursor: _, ...first } = asked
    return { asked: first, query: listQueryOf(first, collectionId) }
  }
}

function isValid(name: string, value: unknown): boolean {
  return typeof value === 'string' && value !== '' && validate({ [name]: value }).length === 0
}

async function actOnCollection(
  needs: CollectionPageNeeds,
  idempotency: FormIdempotency<CollectionOutcome>,
  request: CollectionRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { token } = request.params
  const form = formOf(request.body)
  const client = clientOf(needs, request, reply)
  const chargeNotFound = () => needs.limits.chargeNotFound(request, reply)
  const options = { atomic: false, dryRun: false, through: token, collection: token, chargeNotFound }
  const submission: CollectionSubmission = {
    collections: needs.collections,
    shares: needs.shares,
    links: needs.links,
    client,
    chargeNotFound,
    requireCreation: () => needs.creation.require(request, reply, keyIn(form)),
    token,
    form,
    language: pageLanguage(request),
    codesFound: async () => {
      const collection = await needs.collections.find(token)
      const { query } = listOf(request.query, collection.id)
      return needs.collections.listCodes(collection, query, countingFor(needs, request))
    },
    changeRows: (rows) => changeInBatches({ links: needs.links, client, options }, rows),
    scripts: scriptsOf(needs.assets.islands, 'settings'),
  }
  const outcome = await idempotency.run(token, form, () => act(submission))
  reply.header('vary', 'accept-language')
  if ('page' in outcome) return sendPage(reply, outcome.page)
  if ('notice' in outcome) return showCollection(needs, request, reply, outcome.notice)
  // A redirect after each change, so that a reload repeats nothing.
  const fragment = outcome.at === undefined ? '' : `#${outcome.at}`
  return redirectToPage(reply, `${pathOf({ token })}${outcome.path ?? ''}?${outcome.done}${fragment}`)
}

/** @throws {Problem} 400 for a form without an action of this page */
function act(submission: CollectionSubmission): Promise<CollectionOutcome> {
  const action = ownValue(collectionActions, submission.form.get('action') ?? '')
  if (action === undefined) throw new Problem('invalid_request', 'the form has an unknown action')
  return action(submission)
}

/** The parts in which what was done is said. */
const places: Partial<Record<string, FormName>> = {
  added: 'links',
  changed: 'links',
  left: 'links',
  undeleted: 'links',
  kept: 'looks',
  removed: 'looks',
  shared: 'shares',
  revoked: 'shares',
  'webhook-saved': 'webhook',
  'webhook-removed': 'webhook',
}

/** What the page says after a form, by the name in its query. */
function doneOf(request: CollectionRequest): CollectionNotice | undefined {
  const language: Language = pageLanguage(request)
  const { done: saved, removed } = sharingTexts[language].webhook
  const notices = { ...collectionTexts[language].notices, 'webhook-saved': saved, 'webhook-removed': removed }
  const done = Object.keys(request.query).find((name) => Object.hasOwn(notices, name))
  if (done === undefined) return undefined
  const at = places[done]
  return { text: notices[done as keyof typeof notices], ...(at !== undefined && { at }) }
}
