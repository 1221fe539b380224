import { randomUUID } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { pageLanguage } from '../../http/accept.ts'
import { addVary } from '../../http/compress.ts'
import { redirectToPage, sendPage } from '../../http/document.ts'
import { route, type Route } from '../../http/route.ts'
import { forbidCaching } from '../../links/api/owner-routes.ts'
import { clientOf, type WriteNeeds } from '../../links/api/write-needs.ts'
import type { Limits } from '../../limits/open.ts'
import type { OwnedLink } from '../../links/design.ts'
import type { Totals } from '../../links/link.ts'
import type { StatsSources } from '../../scans/api/routes.ts'
import { scriptsOf, type Assets } from '../assets.ts'
import { formOf } from '../form-body.ts'
import { createFormIdempotency, type FormIdempotency } from '../form-idempotency.ts'
import { FORM_LIMIT } from '../read-form.ts'
import { createDesignerPictures } from '../designer/pictures.ts'
import { loadStatistics, loadTotals, sourceOfLink } from '../statistics/load.ts'
import { ownerPage } from './page.ts'
import { placementSheet } from './placement-sheet.ts'
import { accessByToken, accessInCollection, type OwnerAccess } from './access.ts'
import type { Outcome, Submission, Action } from './submission.ts'
import type { OwnerView, Refused, Notice } from './view.ts'
import { Problem } from '../../http/problem.ts'
import { deletedPage, deleteForGood, undelete } from './deleted.ts'
import { saveDesign } from './save-design.ts'
import { changeFromForm, leadFromForm } from './change-form.ts'
import { revert } from './history.ts'
import { ruleActions } from './rule-actions.ts'
import { settingsActions } from './settings/actions.ts'
import { ownValue } from '../../lib/own-value.ts'
import type { Language } from '../../texts/language.ts'
import { ownerTexts } from '../../texts/owner.ts'
import { settingsNotices } from './settings/section.ts'

/** What the forms of the owner's page do, by their field `action`. */
const actions: Record<string, Action> = {
  change: changeFromForm,
  lead: leadFromForm,
  revert,
  ...ruleActions,
  design: saveDesign,
  async plain({ links, change, access }) {
    await change(await links.readByToken(access.credential), { design: null })
    return { done: 'designed', at: 'design' }
  },
  ...settingsActions,
  undelete,
  'delete-for-good': deleteForGood,
}

/** What the page needs from the rest of the program. */
export interface OwnerPageNeeds extends WriteNeeds {
  shares: Submission['shares']
  /** False when the operator has turned webhooks off. */
  hasWebhooks: boolean
  /** The counts of a link. */
  totals: (linkId: number) => Promise<Totals>
  /** Whether the licence of the city database requires a link on pages. */
  isCreditDue: () => boolean
  /** The text that a link's QR code encodes. */
  codeText: (code: string, origin: string) => string
  printable: OwnerView['printable']
  turnToRender: Limits['turnToRender']
  assets: Pick<Assets, 'islands' | 'font'>
  reading: StatsSources
}

interface TokenRoute {
  Params: { token: string; code?: string }
  Querystring: Record<string, string>
}
type TokenRequest = FastifyRequest<TokenRoute>

const islandsOfPage = ['created', 'owner', 'statistics', 'settings'] as const

type Needs = OwnerPageNeeds & Pick<OwnerView, 'pictures'>

const hidden = { schema: { hide: true } }

/** What the path of a page shows: the link's own token, or that of a collection and the code of the link. */
function accessOf({ params: { token, code } }: TokenRequest): OwnerAccess {
  return code === undefined ? accessByToken(token) : accessInCollection(token, code)
}

/** The page on which an owner manages a link, and its forms: `/m/<token>`, `/c/<token of a collection>/<code>` */
export function ownerPageRoutes(given: OwnerPageNeeds): Record<'show' | 'act' | 'placements', Route> {
  const needs = { ...given, pictures: createDesignerPictures() }
  const idempotency = createFormIdempotency<Outcome>((outcome) => !('refused' in outcome))
  return {
    show: route<TokenRoute>({
      ...hidden,
      onSend: forbidCaching,
      config: { work: 'pages' },
      handler: (request, reply) => showLink(needs, request, reply),
    }),
    placements: route<TokenRoute>({
      ...hidden,
      onSend: forbidCaching,
      config: { work: 'pages' },
      async handler(request, reply) {
        const access = accessOf(request)
        const link = await needs.links.findByToken(access.credential)
        const scripts = scriptsOf(needs.assets.islands, 'settings')
        addVary(reply, 'accept-language')
        return sendPage(reply, placementSheet(link, { access, language: pageLanguage(request), scripts }))
      },
    }),
    act: route<TokenRoute>({
      ...hidden,
      onSend: forbidCaching,
      bodyLimit: FORM_LIMIT,
      config: { acceptsFile: true, work: 'creations' },
      // A wrong token is refused before the form is read.
      async onRequest(request) {
        const { page, credential } = accessOf(request)
        // A second press may find the link deleted by the first.
        if (!idempotency.has(page)) await needs.links.requireToken(credential).catch(unlessDeleted)
      },
      handler: (request, reply) => actOnLink(needs, idempotency, request, reply),
    }),
  }
}

async function showLink(needs: Needs, request: TokenRequest, reply: FastifyReply): Promise<FastifyReply> {
  const owned = await needs.links.readByToken(accessOf(request).credential).catch(unlessDeleted)
  if (owned === undefined) return showDeleted(needs, request, reply)
  const view = await viewOf(needs, owned, request)
  addVary(reply, 'accept-language')
  await needs.turnToRender(request)
  return sendPage(reply, ownerPage(view, noticeOf(request.query, pageLanguage(request))))
}

/** Goes on without a result when the link is deleted and can be brought back. */
function unlessDeleted(error: unknown): undefined {
  if (!(error instanceof Problem) || error.code !== 'link_deleted') throw error
}

async function showDeleted(needs: Needs, request: TokenRequest, reply: FastifyReply): Promise<FastifyReply> {
  const access = accessOf(request)
  const deleted = await needs.links.findDeleted(access.credential)
  // Brought back meanwhile, or deleted for good.
  if (deleted === undefined) return redirectToPage(reply, access.page)
  const language = pageLanguage(request)
  const scripts = scriptsOf(needs.assets.islands, 'owner')
  addVary(reply, 'accept-language')
  await needs.turnToRender(request)
  return sendPage(reply.code(410), deletedPage(deleted, { access, language, scripts }))
}

async function settingsOf(
  { shares, hasWebhooks }: Needs,
  { link, webhook }: OwnedLink,
): Promise<OwnerView['settings']> {
  return { shares: await shares.list(link.id), webhook, hasWebhooks }
}

async function viewOf(needs: Needs, owned: OwnedLink, request: TokenRequest): Promise<OwnerView> {
  const { link, design } = owned
  const origin = needs.origin.of(request)
  const { islands } = needs.assets
  const script = islands.get('design')
  const preview = script && { script, font: needs.assets.font, text: needs.codeText(link.code, origin) }
  const [totals, statistics, settings, history] = await Promise.all([
    loadTotals(needs.totals, request, link.id),
    loadStatistics(sourceOfLink(needs.reading, request, link.id), request),
    settingsOf(needs, owned),
    needs.links.history(owned),
  ])
  return {
    link,
    access: accessOf(request),
    formKey: randomUUID(),
    origin,
    language: pageLanguage(request),
    totals,
    statistics,
    credit: needs.isCreditDue(),
    design,
    settings,
    isCreated: 'created' in request.query,
    scripts: 'created' in request.query ? scriptsOf(islands, 'created') : scriptsOf(islands, ...islandsOfPage),
    history,
    editing: editingOf(request),
    preview: link.suspension === null && preview ? preview : undefined,
    pictures: needs.pictures,
    printable: needs.printable,
  }
}

/** A parameter that comes twice is a list. */
function editingOf({ query }: TokenRequest): string | undefined {
  const value: unknown = query['rule']
  return typeof value === 'string' ? value : undefined
}

async function actOnLink(
  needs: Needs,
  idempotency: FormIdempotency<Outcome>,
  request: TokenRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { links, shares, totals } = needs
  const access = accessOf(request)
  const client = clientOf(needs, request, reply)
  const form = formOf(request.body)
  let isTrimmed = false
  const onTrimmed = () => void (isTrimmed = true)
  const submission: Submission = {
    links,
    change: (owned, body, options) => links.change(owned, body, client, { ...options, onTrimmed }),
    shares,
    totals,
    client,
    access,
    form,
    language: pageLanguage(request),
    isTrimmed: () => isTrimmed,
    scripts: scriptsOf(needs.assets.islands, 'settings'),
  }
  const run = () =>
    idempotency.run(access.page, form, async () => {
      const acted = await act(submission)
      return 'done' in acted ? { ...acted, isTrimmed } : acted
    })
  const outcome = await run().catch(unlessDeleted)
  if (outcome === undefined) return showDeleted(needs, request, reply)
  addVary(reply, 'accept-language')
  // A redirect after each change, so that a reload repeats nothing.
  if ('done' in outcome) {
    const fragment = outcome.at === undefined ? '' : `#${outcome.at}`
    return redirectToPage(reply, `${access.page}?${outcome.done}${outcome.isTrimmed ? '&trimmed' : ''}${fragment}`)
  }
  return 'page' in outcome ? sendPage(reply, outcome.page) : showRefused(needs, request, reply, outcome.refused)
}

async function showRefused(
  needs: Needs,
  request: TokenRequest,
  reply: FastifyReply,
  { owned, ...notice }: Refused,
): Promise<FastifyReply> {
  const view = await viewOf(needs, owned, request)
  const { status, headers } = notice.problem
  await needs.turnToRender(request)
  return sendPage(reply.code(status).headers(headers), ownerPage(view, notice))
}

/** @throws {Problem} 400 for a form without an action of this page */
function act(submission: Submission): Promise<Outcome> {
  const name = submission.form.get('action') ?? ''
  const action = ownValue(actions, name)
  if (action === undefined) throw new Problem('invalid_request', 'the form has an unknown action')
  return action(submission)
}

/** What the page says after a form, by the names in its query. */
function noticeOf(query: Record<string, string>, language: Language): Notice | undefined {
  const notices = noticesOf(language)
  const done = Object.keys(query).find((name) => Object.hasOwn(notices, name))
  const notice = done === undefined ? undefined : notices[done]
  if (!('trimmed' in query)) return notice
  const { trimmed } = ownerTexts[language]
  return { ...notice, text: notice === undefined ? trimmed : `${notice.text} ${trimmed}` }
}

/** The notices by their names. */
function noticesOf(language: Language): Record<string, Notice> {
  const texts = Object.entries(ownerTexts[language].notices)
  const further: Record<string, Partial<Notice>> = {
    designed: { at: 'design' },
    'designed-poor': { at: 'design', isWarning: true },
    ruled: { at: 'rules' },
    reverted: { at: 'history' },
  }
  const notices = texts.map(([name, text]) => [name, { text, ...further[name] }])
  return { ...Object.fromEntries(notices), ...settingsNotices(language) }
}
