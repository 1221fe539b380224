import { UNKNOWN_VALUE } from '../../dimensions/dimension.ts'
import { html, type Html } from '../../http/html.ts'
import { addresses } from '../../links/link.ts'
import type { ListedMember } from '../../collections/listing.ts'
import { collectionTexts, type CollectionTexts } from '../../texts/collection.ts'
import { linkName } from '../link-name.ts'
import { formatsIn } from '../statistics/formats.ts'
import { imagePath } from '../image-path.ts'
import { selectedActions } from './selected.ts'
import { pathOf, type CollectionNotice, type CollectionView } from './view.ts'
import { actionForm, formStart, noticeOf } from './parts.ts'

/** The links of a collection: a search, and a page of those that fit, which can be selected. */
export function listSection(view: CollectionView, notice: CollectionNotice | undefined): Html {
  const texts = collectionTexts[view.language].list
  const isEmpty = view.overview.links === 0
  return html`<section id="links" aria-labelledby="links-title">
    <h2 id="links-title">${texts.title}</h2>
    ${noticeOf(notice, 'links')} ${notice?.left && leftList(notice.left)}
    ${notice?.deleted && undoForm(view, notice.deleted)}
    ${
      isEmpty
        ? html`<p class="card">${texts.empty}</p>`
        : html`${searchForm(view)} ${found(view, notice)} ${pager(view, texts)}`
    }
  </section>`
}

/** How many links that were not changed are named. */
const MAX_LEFT = 50

function leftList(left: { code: string; why: string }[]): Html {
  return html`<ul>
    ${left.slice(0, MAX_LEFT).map(({ code, why }) => html`<li><code>${code}</code>: ${why}</li>`)}
    ${left.length > MAX_LEFT && html`<li>…</li>`}
  </ul>`
}

/** Brings links back that were deleted just now. */
function undoForm(view: CollectionView, codes: string[]): Html {
  const codeInputs = codes.map((code) => html`<input type="hidden" name="code" value="${code}" />`)
  const button = html`<button class="plain">${collectionTexts[view.language].selected.undelete}</button>`
  return actionForm(view, 'undelete', html`${codeInputs} ${button}`)
}

function searchForm(view: CollectionView): Html {
  const { asked, overview, language } = view
  const texts = collectionTexts[language].list
  const { states, sorts } = texts
  const largest = overview.campaigns.flatMap(({ value }) => value ?? [])
  const chosen = asked.campaign ?? UNKNOWN_VALUE
  const campaigns = chosen === UNKNOWN_VALUE || largest.includes(chosen) ? largest : [chosen, ...largest]
  const hasNone = overview.campaigns.some(({ value }) => value === null)
  return html`<form class="collection-search" method="get" action="${pathOf(view)}#links" role="search">
    <label
      >${texts.search}
      <input type="search" name="q" value="${asked.q ?? ''}" maxlength="200" placeholder="${texts.searchHint}" />
    </label>
    ${
      campaigns.length > 0 &&
      html`<label
        >${texts.campaign}
        <select name="campaign">
          ${option('', texts.every, asked.campaign === undefined)}
          ${hasNone && option(UNKNOWN_VALUE, texts.none, asked.campaign === UNKNOWN_VALUE)}
          ${campaigns.map((value) => option(value, value, asked.campaign === value))}
        </select></label
      >`
    }
    <label
      >${texts.state}
      <select name="state">
        ${option('', texts.every, asked.state === undefined)}
        ${Object.entries(states).map(([value, text]) => option(value, text, asked.state === value))}
      </select></label
    >
    <label
      >${texts.sort}
      <select name="sort">
        ${Object.entries(sorts).map(([value, text]) => option(value, text, (asked.sort ?? 'created') === value))}
      </select></label
    >
    <button class="plain">${texts.find}</button>
  </form>`
}

function option(value: string, text: string, isSelected: boolean): Html {
  return html`<option value="${value}" ${isSelected && html` selected`}>${text}</option>`
}

function found(view: CollectionView, notice: CollectionNotice | undefined): Html {
  const texts = collectionTexts[view.language].list
  if (view.links.length === 0)
    return html`<p class="card">${texts.nothing} <a href="${pathOf(view)}#links">${texts.reset}</a></p>`
  return html`<form method="post" action="${pathOf(view)}${queryOf(view)}#links">
    ${formStart(view)}
    <label class="choice collection-all" hidden><input type="checkbox" autocomplete="off" />${texts.selectAll}</label>
    <ul class="collection-links">
      ${view.links.map((link) => row(view, link))}
    </ul>
    ${selectedActions(view, notice)}
  </form>`
}

function row({ token, origin, language }: CollectionView, link: ListedMember): Html {
  const texts = collectionTexts[language]
  const formats = formatsIn(language)
  const name = linkName(link)
  const { short_url: shortUrl } = addresses(link.code, origin)
  const state = link.suspension !== null ? 'removed' : link.active === 0 ? 'paused' : undefined
  return html`<li>
    <label class="choice"
      ><input type="checkbox" name="code" value="${link.code}" aria-label="${texts.list.select(name)}"
    /></label>
    ${
      state === 'removed'
        ? html`<span class="collection-code"></span>`
        : html`<img
            class="qr collection-code"
            src="${imagePath(link)}"
            alt="${texts.list.code(shortUrl)}"
            loading="lazy"
            width="56"
            height="56"
          />`
    }
    <div class="collection-about">
      <a class="collection-name" href="/c/${token}/${link.code}" lang="" dir="auto">${name}</a>
      <div class="small quiet">
        ${shortUrl.replace(/^https?:\/\//, '').slice(0, -link.code.length)}<wbr />${link.code}
      </div>
      <p class="row small">
        ${state && html`<span class="chip ${state === 'removed' ? 'alarm' : 'warning'}">${texts.list.states[state]}</span>`}
        ${link.campaign !== null && html`<span class="chip" dir="auto">${link.campaign}</span>`}
      </p>
    </div>
    <div class="collection-count">
      <b>${formats.compact(link.totals.scans)}</b>
      <span class="small quiet">${texts.visits('', link.totals.scans === 1)}</span>
    </div>
  </li>`
}

function pager(view: CollectionView, texts: CollectionTexts['list']): Html | undefined {
  const { next, asked } = view
  if (next === null && asked.cursor === undefined) return undefined
  return html`<nav class="row">
    ${asked.cursor !== undefined && html`<a class="button plain" href="${pathOf(view)}${queryOf(view, null)}#links">${texts.first}</a>`}
    ${next !== null && html`<a class="button plain" href="${pathOf(view)}${queryOf(view, next)}#links">${texts.next}</a>`}
  </nav>`
}

/** The query of the address of this list. @param cursor of another page; null for the first */
export function queryOf(
  { asked }: Pick<CollectionView, 'asked'>,
  cursor: string | null = asked.cursor ?? null,
): string {
  const { q, campaign, state, sort } = asked
  const pairs = Object.entries({ q, campaign, state, sort, cursor: cursor ?? undefined })
  const query = new URLSearchParams(pairs.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
  return query.size === 0 ? '' : `?${query.toString()}`
}
