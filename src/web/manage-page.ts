import type { Page } from '../http/document.ts'
import { html, type Html } from '../http/html.ts'
import type { Problem } from '../http/problem.ts'
import { kindOf } from '../links/kinds/index.ts'
import type { FormField } from '../links/kinds/kind.ts'
import { addresses, type Link, type Removal, type Totals } from '../links/link.ts'
import type { Design } from '../qr/design/schema.ts'
import { designForm, type Preview, type RefusedDesign } from './designer/form.ts'
import { ownerFields, renderFields, renderProblem, renderUtm, type Values } from './form.ts'
import { reachWarning } from './reach.ts'

/** What the owner's page says on top, besides the link itself. */
export interface Notice {
  text: string
  /** An address to show with the text. */
  address?: string
  problem?: Problem
  /** When the problem is one of the design's form: what that is to show. */
  design?: RefusedDesign
  /** What was typed into the form when it could not be saved. */
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
    hint: 'when nothing above leads anywhere',
  }
  return [...form, ...(hasTarget || link.target === null ? [] : [target]), ...ownerFields]
}

/** What the page shows. */
export interface Shown {
  link: Link
  token: string
  origin: string
  totals: Totals
  /** Whether the cities of its statistics are DB-IP's, whose licence asks for a link. */
  credit: boolean
  design: Design | undefined
  /** What the live preview takes, where it was built. */
  preview: Preview | undefined
}

/** The page of a link's owner: what it is, and everything that can be done with it. */
export function managePage(shown: Shown, notice?: Notice): Page {
  const { link, token, origin } = shown
  const action = `/m/${token}`
  const name = link.title?.trim() || link.code
  const { short_url: shortUrl } = addresses(link.code, origin)
  const isUp = link.active && link.removed === null
  return {
    title: `${name}: your link`,
    ...scriptOf(shown),
    body: html`<main>
      <h1 dir="auto">${name}</h1>
      ${notice && !notice.problem && noticeBox(notice)} ${renderProblem(notice?.problem, notice?.text)}
      ${link.removed && removalNote(link.removed)}
      <p class="result">${isUp ? html`<a href="${shortUrl}">${shortUrl}</a>` : shortUrl}</p>
      ${!link.removed && images(link, origin)} ${facts(shown)} ${!link.removed && changes(shown, action, notice)}
      <h2>Delete</h2>
      ${deleteForm(action)}
      <p><a href="/">Create another link</a></p>
    </main>`,
  }
}

function scriptOf({ preview }: Shown): Pick<Page, 'script'> {
  return preview === undefined ? {} : { script: preview.script }
}

function images({ code, active, revision }: Link, origin: string): Html {
  // Images are kept for minutes: after a change this one must be asked for anew.
  return html`${reachWarning(origin)}
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
      ${active && html`· <a href="/${code}+">See where it leads</a>`}
    </p>`
}

function changes({ link, design, preview }: Shown, action: string, notice?: Notice): Html {
  const refused = notice?.design
  return html`<h2>Change</h2>
    ${editForm(link, action, refused ? undefined : notice)}
    <h2>Design of the QR code</h2>
    ${designForm(design, { action, revision: link.revision, refused, preview })}
    <h2>${link.active ? 'Pause' : 'Paused'}</h2>
    ${pauseForm(link, action)}`
}

const removers: Record<Removal['source'], string> = {
  list: 'by a list of malware and phishing',
  operator: 'by the operator of this service',
  legal: 'by legal order',
}

function removalNote({ source, reason, at }: Removal): Html {
  return html`<p class="note alarm" role="alert">
    This link was removed ${removers[source]} on ${minute(at)} UTC: ${reason}. Its short address and its QR code answer
    that it was removed. You can delete it, but not change it.
  </p>`
}

function noticeBox({ text, address }: Notice): Html {
  return html`<p class="note" role="status">${text}${address && html` <a href="${address}">${address}</a>`}</p>`
}

const creditNote = html`<p class="quiet">
  Cities in its statistics: <a href="https://db-ip.com">IP Geolocation by DB-IP</a>
</p>`

function facts({ link, totals, credit }: Shown): Html {
  return html`<dl>
      <dt>Kind</dt>
      <dd>${kindOf(link).label}</dd>
      <dt>State</dt>
      <dd>${stateOf(link)}</dd>
      <dt>Scans</dt>
      <dd>${totals.scans} (${totals.qr} of the QR code, ${totals.bots} by bots)</dd>
      <dt>Visitors</dt>
      <dd>${totals.unique_visitors}</dd>
      <dt>Created</dt>
      <dd>${minute(link.createdAt)} UTC</dd>
      <dt>Changed</dt>
      <dd>${minute(link.updatedAt)} UTC</dd>
    </dl>
    ${credit && creditNote}`
}

function stateOf({ active, removed }: Link): string {
  if (removed !== null) return 'removed'
  return active ? 'active' : 'paused'
}

/** A time as a person reads it. */
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
      ${link.active ? 'Visitors see that there is nothing here until you resume.' : 'Visitors see that there is nothing here.'}
    </p>
    <input type="hidden" name="action" value="${link.active ? 'pause' : 'resume'}" />
    <button class="plain">${link.active ? 'Pause' : 'Resume'}</button>
  </form>`
}

function deleteForm(action: string): Html {
  return html`<form method="post" action="${action}">
    <p>
      The link and everything kept about it go for good. Printed codes stop working, and the code is never given out
      again.
    </p>
    <input type="hidden" name="action" value="delete" />
    <label><input type="checkbox" name="sure" value="yes" required />I am sure</label>
    <button class="alarm">Delete</button>
  </form>`
}

/** What is left to say after a deletion. */
export function deletedPage(code: string): Page {
  return {
    title: 'Deleted',
    body: html`<main>
      <h1>Deleted</h1>
      <p>The link ${code} and everything that was kept about it are gone.</p>
      <p><a href="/">Create another</a></p>
    </main>`,
  }
}
