import { html, type Html } from '../../http/html.ts'
import { ownValue } from '../../lib/own-value.ts'
import { kindOf } from '../../links/kinds/index.ts'
import { addresses, type Link } from '../../links/link.ts'
import { activeRules } from '../../links/rules/rule.ts'
import { poorContrast } from '../../qr/design/style.ts'
import { ownerTexts } from '../../texts/owner.ts'
import { printTexts } from '../../texts/print.ts'
import { copyingData } from '../copyable.ts'
import { linkName } from '../link-name.ts'
import { reachabilityWarning } from '../reachability.ts'
import { fileRemark } from './file-remark.ts'
import { imagePath } from '../image-path.ts'
import { mainDownloads } from './main-downloads.ts'
import { timeElement, withTime } from './time.ts'
import type { Notice, OwnerView } from './view.ts'
import { periodOf } from '../../links/rules/period.ts'
import type { Language } from '../../texts/language.ts'
import { rulesTexts } from '../../texts/rules.ts'
import { tryTexts } from '../../texts/try.ts'
import { faultText } from '../faults.ts'
import { conflictTable } from './conflict.ts'
import { periodText } from './rules/sentence.ts'
import { sectionMessage } from './message.ts'
import { cardId } from './settings/card.ts'

/** What the owner came for: where the link leads, its address, its code and its state. */
export function ownerTop(view: OwnerView, notice: Notice | undefined): Html {
  const { link, origin } = view
  return html`${heading(view)} ${link.suspension && suspensionNote(view)}
  ${link.suspension === null && html`${warningNote(view)} ${reportedNote(view)}`} ${rekeyedNote(view)}
  ${link.suspension === null && reachabilityWarning(origin, view.language)} ${fileRemark(view)} ${card(view, notice)}`
}

function card(view: OwnerView, notice: Notice | undefined): Html {
  const isSuspended = view.link.suspension !== null
  return html`<div class="owner-top card" ${copyingData(view.language)}>
    <div>${!isSuspended && leadsTo(view, notice)} ${shortLink(view)}</div>
    ${!isSuspended && image(view)}
  </div>`
}

function heading({ link, language }: OwnerView): Html {
  const texts = ownerTexts[language]
  const state = stateOf(link)
  const tone = state === 'removed' ? 'alarm' : state === 'paused' ? 'warning' : ''
  return html`<header class="owner-head">
    <h1 lang="" dir="auto">${linkName(link)}</h1>
    <p class="row">
      <span class="chip ${tone}">${texts.states[state]}</span>
      <span class="quiet">${kindOf(link).texts[language].name}</span>
    </p>
  </header>`
}

type State = 'active' | 'paused' | 'scheduled' | 'limited' | 'removed'

function stateOf({ active, suspension, rules }: Link): State {
  if (suspension !== null) return 'removed'
  if (!active) return 'paused'
  const whens = activeRules(rules).map(({ when }) => when)
  if (whens.some(({ from, until, weekdays, hours }) => from ?? until ?? weekdays ?? hours)) return 'scheduled'
  return whens.some((when) => when.after_visitors ?? when.after_scans) ? 'limited' : 'active'
}

function suspensionNote({ link: { suspension }, language }: OwnerView): Html | undefined {
  if (suspension === null) return undefined
  const { blocked, blockedBecause, blockedListed, blockedSince } = ownerTexts[language]
  const { source, reason, at, expression } = suspension
  const because = source === 'list' && expression !== null ? blockedListed(expression) : blockedBecause(reason)
  return html`<p class="note alarm" role="alert">
    ${withTime(blocked[source], at, language)} ${reason !== '' && because} ${blockedSince}
  </p>`
}

function warningNote({ link: { warning }, language }: OwnerView): Html | null {
  if (warning === null) return null
  const { warned, blockedBecause } = ownerTexts[language]
  return html`<p class="note alarm" role="alert">
    ${withTime(warned, warning.at, language)} ${warning.reason !== '' && blockedBecause(warning.reason)}
  </p>`
}

function reportedNote({ link: { reported }, language }: OwnerView): Html | null {
  if (reported === null) return null
  const { reported: told, reportedMostly, reportedSo } = ownerTexts[language]
  const mostly: Record<string, string> = reportedMostly
  return html`<p class="note warning">
    ${withTime(told, reported.at, language)} ${ownValue(mostly, reported.reason)} ${reportedSo}
  </p>`
}

/** Says until the owner has a key of his own that the operator has seen this one. */
function rekeyedNote({ link: { rekeyedAt }, language }: OwnerView): Html | null {
  if (rekeyedAt === null) return null
  const { rekeyed, rekeyedSo } = ownerTexts[language]
  return html`<p class="note warning">
    ${withTime(rekeyed, rekeyedAt, language)} <a href="#${cardId('key')}">${rekeyedSo}</a>
  </p>`
}

function shortLink({ link, origin, language }: OwnerView): Html {
  const texts = ownerTexts[language]
  const { short_url: shortUrl } = addresses(link.code, origin)
  const isLive = link.active && link.suspension === null
  return html`<h2 class="owner-label">${texts.shortLink}</h2>
    <p class="row">
      <span class="result">${isLive ? html`<a href="${shortUrl}">${shortUrl}</a>` : shortUrl}</span>
      <button type="button" class="plain" data-copy="${shortUrl}" hidden>${texts.copy}</button>
    </p>
    ${isLive && html`<p><a href="/${link.code}+">${texts.check}</a></p>`}
    <dl class="small">
      <dt>${texts.created}</dt>
      <dd>${timeElement(link.createdAt, language)}</dd>
      <dt>${texts.changed}</dt>
      <dd>${timeElement(link.updatedAt, language)}</dd>
    </dl>`
}

function image(view: OwnerView): Html {
  const { link, access, design, origin, language } = view
  const { code } = link
  const texts = ownerTexts[language]
  return html`<div class="owner-code">
    <img
      class="qr"
      src="${imagePath(link)}"
      alt="${texts.code(addresses(code, origin).short_url)}"
      width="224"
      height="224"
    />
    ${design && poorContrast(design) && html`<p><a class="chip warning" href="#design">${texts.poor}</a></p>`}
    ${mainDownloads(view)}
    <p class="owner-print"><a href="${access.page}/print">${printTexts[language].link}</a></p>
    <p class="owner-try"><a href="${access.page}/try">${tryTexts[language].link}</a></p>
  </div>`
}

/** Where a visit leads, in plain text, and for one address the form that changes it. */
function leadsTo(view: OwnerView, notice: Notice | undefined): Html {
  const { link, language } = view
  const texts = ownerTexts[language]
  const { leadsTo: shown } = kindOf(link)
  const rules = activeRules(link.rules).filter((rule) => periodOf(rule) === undefined).length
  return html`<h2 class="owner-label">${texts.leadsTo}</h2>
    ${
      shown === 'target'
        ? editable(view, notice?.at === 'lead' ? notice : undefined)
        : html`${shown(link.payload, language)}
            <p><a href="#destination">${texts.change}</a></p>`
    }
    ${periods(view)}
    ${rules > 0 && html`<p class="quiet">${texts.rulesFirst(rules)} <a href="#rules">${texts.showRules}</a></p>`}`
}

/** When the link starts and ends, each with the way to change it. */
function periods({ link, language, access }: OwnerView): Html {
  const wording = { language, texts: rulesTexts[language].sentence }
  return html`${link.rules.map((rule, at) => {
    const text = rule.off === true ? undefined : periodText(rule, wording)
    if (text === undefined) return undefined
    const change = ownerTexts[language].change
    return html`<p>
      ${text} <a href="${access.page}?rule=${at + 1}#rule-editor" aria-label="${change}: ${text}">${change}</a>
    </p>`
  })}`
}

function editable({ link, access, formKey, language }: OwnerView, own: Notice | undefined): Html {
  const texts = ownerTexts[language]
  return html`<p class="owner-target" dir="auto">${link.target}</p>
    <details class="owner-edit" id="lead" ${own && html` open`}>
      <summary>${texts.change}</summary>
      <form method="post" action="${access.page}">
        <input type="hidden" name="action" value="lead" />
        <input type="hidden" name="idempotency_key" value="${formKey}" />
        <input type="hidden" name="revision" value="${link.revision}" />
        ${own && sectionMessage(own)} ${conflictTable(link, own, language)}
        <label for="owner-address">${texts.newTarget}</label>
        ${addressField(link.target, language, own)}
        <p class="hint" id="owner-address-hint">${texts.printedStay}</p>
      </form>
    </details>`
}

function addressField(target: string | null, language: Language, own: Notice | undefined): Html {
  const fault = own?.problem?.errors[0]
  const isFaulty = fault !== undefined
  const typed = own?.values?.['target']
  return html`<div class="owner-line">
      <input
        id="owner-address"
        name="address"
        type="text"
        inputmode="url"
        autocapitalize="none"
        spellcheck="false"
        dir="auto"
        required
        value="${typeof typed === 'string' ? typed : target}"
        aria-describedby="owner-address-hint${isFaulty && ' owner-address-fault'}"
        ${isFaulty && html` aria-invalid="true" autofocus`}
      />
      <button>${ownerTexts[language].save}</button>
    </div>
    ${isFaulty && html`<p class="fault" id="owner-address-fault">${faultText(fault, language)}</p>`}`
}
