import type { Page } from '../../http/document.ts'
import { html, type Html } from '../../http/html.ts'
import { kindOf } from '../../links/kinds/index.ts'
import { addresses, type Link, type Suspension } from '../../links/link.ts'
import { designSection } from '../designer/section.ts'
import { renderProblem } from '../form.ts'
import { reachabilityWarning } from '../reachability.ts'
import { ownerStatistics } from '../statistics/owner.ts'
import { changeForm } from './change-form.ts'
import { deleteForm } from './delete-form.ts'
import type { Notice, OwnerView } from './view.ts'

/** The page on which an owner manages a link. */
export function ownerPage(view: OwnerView, notice?: Notice): Page {
  const { link, token, origin, language } = view
  const action = `/m/${token}`
  const name = link.title?.trim() || link.code
  const { short_url: shortUrl } = addresses(link.code, origin)
  const isLive = link.active && link.suspension === null
  return {
    title: `${name}: your link`,
    site: { language },
    scripts: scriptsOf(view),
    body: html`<main>
      <h1 dir="auto">${name}</h1>
      ${notice && !notice.problem && noticeBox(notice)} ${renderProblem(notice?.problem, notice?.text)}
      ${link.suspension && removalNote(link.suspension)}
      <p class="result">${isLive ? html`<a href="${shortUrl}">${shortUrl}</a>` : shortUrl}</p>
      ${!link.suspension && images(link, origin)} ${facts(view)} ${ownerStatistics(view)}
      ${!link.suspension && changes(view, action, notice)}
      <h2>Delete</h2>
      ${deleteForm(action)}
      <p><a href="/">Create another link</a></p>
    </main>`,
  }
}

function scriptsOf({ preview, scripts }: OwnerView): string[] {
  return preview === undefined ? scripts : [...scripts, preview.script]
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

function changes(view: OwnerView, action: string, notice?: Notice): Html {
  const { link } = view
  const refused = notice?.design
  return html`<h2>Change</h2>
    ${changeForm(link, action, refused ? undefined : notice)} ${designSection(view, notice)}
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

function facts({ link, totals }: OwnerView): Html {
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
  </dl>`
}

function stateOf({ active, suspension }: Link): string {
  if (suspension !== null) return 'removed'
  return active ? 'active' : 'paused'
}

/** A time to the minute, for people. */
function minute(time: number): string {
  return new Date(time).toISOString().slice(0, 16).replace('T', ' ')
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
