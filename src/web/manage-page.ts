import type { Page } from '../http/document.ts'
import { html, type Html } from '../http/html.ts'
import type { Problem } from '../http/problem.ts'
import { kindOf } from '../links/kinds/index.ts'
import type { FormField } from '../links/kinds/kind.ts'
import { addresses, type Link, type Suspension, type Totals } from '../links/link.ts'
import type { Design } from '../qr/design/schema.ts'
import { designForm, type Preview, type RefusedDesign } from './designer/form.ts'
import { ownerFields, renderFields, renderProblem, renderUtm, type Values } from './form.ts'
import { reachabilityWarning } from './reachability.ts'

/** A message at the top of the owner's page. */
export interface Notice {
  text: string
  /** An address shown after the text. */
  address?: string
  problem?: Problem
  /** When the problem is one of the design form: what that form shows. */
  design?: RefusedDesign
  /** The typed values, when they could not be saved. */
  values?: Values
  utm?: Record<string, string>
}

/** The fields of the form that changes a link. */
export function editFields(link: Link): FormField[] {
  const { form } = kindOf(link)
  const hasTarget = form.some(({ name }) => name === 'target')
  const target: FormField = {
    name: 'target',
    label: 'Destination',
    input: 'url',
    hint: 'where the link leads when nothing above applies',
  }
  return [...form, ...(hasTarget || link.target === null ? [] : [target]), ...ownerFields]
}

/** The data of the owner's page. */
export interface ManageView {
  link: Link
  token: string
  origin: string
  totals: Totals
  /** Whether the cities in its statistics come from DB-IP, whose licence requires a link. */
  credit: boolean
  design: Design | undefined
  /** Undefined where the live preview was not built. */
  preview: Preview | undefined
}

/** The page on which an owner manages a link. */
export function managePage(view: ManageView, notice?: Notice): Page {
  const { link, token, origin } = view
  const action = `/m/${token}`
  const name = link.title?.trim() || link.code
  const { short_url: shortUrl } = addresses(link.code, origin)
  const isLive = link.active && link.suspension === null
  return {
    title: `${name}: your link`,
    ...scriptOf(view),
    body: html`<main>
      <h1 dir="auto">${name}</h1>
      ${notice && !notice.problem && noticeBox(notice)} ${renderProblem(notice?.problem, notice?.text)}
      ${link.suspension && removalNote(link.suspension)}
      <p class="result">${isLive ? html`<a href="${shortUrl}">${shortUrl}</a>` : shortUrl}</p>
      ${!link.suspension && images(link, origin)} ${facts(view)} ${!link.suspension && changes(view, action, notice)}
      <h2>Delete</h2>
      ${deleteForm(action)}
      <p><a href="/">Create another link</a></p>
    </main>`,
  }
}

function scriptOf({ preview }: ManageView): Pick<Page, 'script'> {
  return preview === undefined ? {} : { script: preview.script }
}

function images({ code, active, revision }: Link, origin: string): Html {
  // Browsers cache images for minutes: the revision makes them request this one again after a change.
  return html`${reachabilityWarning(origin)}
    <img
      class="qr"
      src="/${code}/qr.svg?v=${revision}"
      alt="QR code of ${addresses(code, origin).short_url}"
      width="224"
      height="224"
    />
    <p>
      <a href="/${code}/qr.png?size=1024" download="${code}.png">PNG</a>
      · <a href="/${code}/qr.svg" download="${code}.svg">SVG</a> ·
      <a href="/${code}/qr.pdf" download="${code}.pdf">PDF</a>
      ${active && html`· <a href="/${code}+">Check where it leads</a>`}
    </p>`
}

function changes({ link, design, preview }: ManageView, action: string, notice?: Notice): Html {
  const refused = notice?.design
  return html`<h2>Change</h2>
    ${editForm(link, action, refused ? undefined : notice)}
    <h2>Design of the QR code</h2>
    ${designForm(design, { action, revision: link.revision, refused, preview })}
    <h2>${link.active ? 'Pause' : 'Paused'}</h2>
    ${pauseForm(link, action)}`
}

const removers: Record<Suspension['source'], string> = {
  list: 'by the malware and phishing filter',
  operator: 'by the operator of this service',
  legal: 'by legal order',
}

function removalNote({ source, reason, at }: Suspension): Html {
  return html`<p class="note alarm" role="alert">
    This link was removed ${removers[source]} on ${minute(at)} UTC: ${reason}. Visitors see a page that says so. You can
    delete the link, but not change it.
  </p>`
}

function noticeBox({ text, address }: Notice): Html {
  return html`<p class="note" role="status">${text}${address && html` <a href="${address}">${address}</a>`}</p>`
}

/** The link that the licence of the city database requires. */
export const creditNote = html`<p class="quiet">
  Cities in the statistics: <a href="https://db-ip.com">IP Geolocation by DB-IP</a>
</p>`

function facts({ link, totals, credit }: ManageView): Html {
  return html`<dl>
      <dt>Kind</dt>
      <dd>${kindOf(link).label}</dd>
      <dt>Status</dt>
      <dd>${stateOf(link)}</dd>
      <dt>Scans</dt>
      <dd>${totals.scans} (${totals.qr} from the QR code, ${totals.bots} by bots)</dd>
      <dt>Unique visitors</dt>
      <dd>${totals.unique_visitors}</dd>
      <dt>Created</dt>
      <dd>${minute(link.createdAt)} UTC</dd>
      <dt>Last changed</dt>
      <dd>${minute(link.updatedAt)} UTC</dd>
    </dl>
    ${credit && creditNote}`
}

function stateOf({ active, suspension }: Link): string {
  if (suspension !== null) return 'removed'
  return active ? 'active' : 'paused'
}

/** A time to the minute, for people. */
function minute(time: number): string {
  return new Date(time).toISOString().slice(0, 16).replace('T', ' ')
}

function editForm(link: Link, action: string, notice?: Notice): Html {
  const stored = { ...link.payload, target: link.target, title: link.title, campaign: link.campaign }
  const errors = notice?.problem?.errors ?? []
  return html`<form method="post" action="${action}">
    <input type="hidden" name="action" value="change" />
    <input type="hidden" name="revision" value="${link.revision}" />
    ${renderFields(editFields(link), notice?.values ?? stored, errors)}
    ${renderUtm(kindOf(link), notice?.utm ?? link.utm, errors)}
    <button>Save</button>
  </form>`
}

function pauseForm(link: Link, action: string): Html {
  return html`<form method="post" action="${action}">
    <p>
      ${link.active ? 'Until you resume the link, visitors see a page that says there is no such code.' : 'Visitors see a page that says there is no such code.'}
    </p>
    <input type="hidden" name="action" value="${link.active ? 'pause' : 'resume'}" />
    <button class="plain">${link.active ? 'Pause' : 'Resume'}</button>
  </form>`
}

function deleteForm(action: string): Html {
  return html`<form method="post" action="${action}">
    <p>
      This permanently deletes the link and everything stored about it. Printed codes stop working, and the code is
      never used again.
    </p>
    <input type="hidden" name="action" value="delete" />
    <label><input type="checkbox" name="sure" value="yes" required />I am sure</label>
    <button class="alarm">Delete</button>
  </form>`
}

/** The page that confirms a deletion. */
export function deletedPage(code: string): Page {
  return {
    title: 'Deleted',
    body: html`<main>
      <h1>Deleted</h1>
      <p>The link ${code} and everything stored about it have been deleted.</p>
      <p><a href="/">Create another link</a></p>
    </main>`,
  }
}
