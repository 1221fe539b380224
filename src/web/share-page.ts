import type { Page } from '../http/document.ts'
import { html, type Html } from '../http/html.ts'
import { addresses } from '../links/link.ts'
import type { Stats } from '../scans/stats.ts'
import { LINK_ITSELF } from '../scans/warehouse-schema.ts'
import type { SharedLink } from '../shares/open.ts'
import { dayChart, valueTable } from './charts.ts'
import { creditNote } from './credit.ts'

/** The data of a share's page. */
export interface ShareView {
  link: SharedLink
  token: string
  stats: Stats & { as_of?: string }
  origin: string
  /** Whether the cities come from DB-IP, whose licence requires a link. */
  credit: boolean
}

/** The page that shows the statistics of a link, and nothing that changes it. */
export function sharePage(view: ShareView): Page {
  const { link, stats, credit } = view
  const name = link.title?.trim() || link.code
  return {
    title: `${name}: statistics`,
    site: { language: 'en' },
    body: html`<main class="stats">
      <h1 dir="auto">${name}</h1>
      ${address(view)} ${periods(view)}
      <p>${summary(stats)}</p>
      ${figures(stats)}
      <h2>By day</h2>
      ${dayChart(stats.series)} ${breakdowns(stats)} ${exportOf(view)} ${credit && creditNote}
    </main>`,
  }
}

const states = {
  active: undefined,
  paused: 'The link is paused: visits are answered as if it did not exist, and not counted.',
  removed: 'The link was removed for abuse. Visits are not counted any more.',
}

function address({ link: { code, state, destinations = [] }, origin }: ShareView): Html {
  const { short_url: url } = addresses(code, origin)
  return html`<p class="result">${state === 'active' ? html`<a href="${url}">${url}</a>` : url}</p>
    ${states[state] && html`<p class="note">${states[state]}</p>`}
    ${destinations.map((destination) => html`<p class="quiet">Leads to <code>${destination}</code></p>`)}`
}

const lengths = [7, 30, 90, 365]

function periods({ token, stats: { days, timezone, audience } }: ShareView): Html {
  const links = lengths.map((length) => {
    const query = new URLSearchParams({ days: String(length), tz: timezone, audience })
    const current = length === days && html` aria-current="page"`
    return html`<a href="/s/${token}?${query.toString()}" ${current}>${length} days</a>`
  })
  return html`<nav aria-label="Period">${links}</nav>`
}

const audiences = { all: 'people and bots', human: 'people only', bot: 'bots only' }

function summary({ from, to, timezone, audience, as_of: asOf }: ShareView['stats']): string {
  const late = asOf === undefined ? '' : ` The latest scans before ${asOf} may be missing.`
  return `From ${from} to ${to} (days in ${timezone}), ${audiences[audience]}.${late}`
}

function figures({ totals }: Stats): Html {
  return html`<dl>
    <dt>Scans</dt>
    <dd>${totals.scans}</dd>
    <dt>Unique visitors</dt>
    <dd>${totals.unique_visitors}, each counted once a day</dd>
    <dt>By people</dt>
    <dd>${totals.humans}</dd>
    <dt>By bots</dt>
    <dd>${totals.bots}</dd>
    <dt>From the QR code</dt>
    <dd>${totals.qr}</dd>
    <dt>From the link</dt>
    <dd>${totals.link}</dd>
  </dl>`
}

const headings: Partial<Record<string, string>> = {
  source: 'Source',
  device: 'Devices',
  os: 'Systems',
  browser: 'Browsers',
  country: 'Countries',
  city: 'Cities',
  referrer: 'Referrers',
  answer: 'Answers',
}

function breakdowns({ breakdowns: all, totals }: Stats): Html {
  const countries = new Intl.DisplayNames('en', { type: 'region', fallback: 'code' })
  const nameOf = (dimension: string, value: string | null, country?: string | null) => {
    if (value === null) return 'unknown'
    if (dimension === 'country') return countries.of(value) ?? value
    if (dimension === 'answer') return value === LINK_ITSELF ? 'the link itself' : `rule ${value}`
    return country ? `${value}, ${country}` : value
  }
  // Where no rule has answered, all scans have the one answer.
  const shown = Object.entries(all).filter(
    ([dimension, rows]) => dimension !== 'answer' || rows.some(({ value }) => value !== LINK_ITSELF),
  )
  return html`<div class="breakdowns">
    ${shown.map(([dimension, rows]) => {
      const named = rows.map(({ value, country, ...counts }) => ({
        name: nameOf(dimension, value, country),
        ...counts,
      }))
      return html`<section>
        <h2>${headings[dimension] ?? dimension}</h2>
        ${valueTable(named, totals.scans)}
      </section>`
    })}
  </div>`
}

function exportOf({ link, token }: ShareView): Html | undefined {
  if (!link.csv) return undefined
  return html`<p><a class="button" href="/api/share/${token}/scans.csv">Download every scan (CSV)</a></p>`
}
