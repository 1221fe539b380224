import { html, type Html } from '../../http/html.ts'
import { statisticsTexts, type StatisticsTexts } from '../../texts/statistics.ts'
import { breakdownPanels } from './breakdowns.ts'
import { chart, chartTable } from './chart.ts'
import { columnsOf } from './columns.ts'
import { choices, detailedChoices, zoneForm } from './controls.ts'
import { addressOf } from './address.ts'
import { datesOf } from './page-window.ts'
import { dateAt } from '../../scans/statistics/windows.ts'
import { downloads } from './downloads.ts'
import { filterChips, hasFilters } from './filters.ts'
import { figures } from './figures.ts'
import { heatTable } from './heat.ts'
import { marksList, marksOf } from './marks.ts'
import { worldMap } from './map.ts'
import { formatsIn, type Formats } from './formats.ts'
import type { StatisticsView } from './view.ts'

type Stats = NonNullable<StatisticsView['stats']>

/** How often what is shown is loaded again at most while visits arrive; with filters, which read single scans, more seldom. */
const REFRESH_MS = 5_000
const REFRESH_FILTERED_MS = 30_000

/** The statistics of a link, or of several links, on the pages of owners and of shares. */
export function statisticsSection(view: StatisticsView): Html {
  const { language, stream, totals, query } = view
  const texts = statisticsTexts[language]
  const formats = formatsIn(language)
  return html`<section
    id="statistics"
    class="stats"
    aria-labelledby="statistics-heading"
    data-zone="${query.tz}"
    data-refresh="${hasFilters(query) ? REFRESH_FILTERED_MS : REFRESH_MS}"
    data-stream="${stream ?? ''}"
    data-scans="${totals?.scans ?? ''}"
    data-texts="${JSON.stringify(islandTexts(texts))}"
  >
    <div class="row stats-head">
      <h2 id="statistics-heading">${texts.heading}</h2>
      ${totals && counter(totals.scans, texts, formats)}
      ${totals === undefined && stream !== undefined && html`<p class="quiet">${texts.noTotals}</p>`}
      <p class="unseen stats-news" aria-live="polite"></p>
    </div>
    <div class="stats-body">${content(view, texts, formats)}</div>
  </section>`
}

function islandTexts(texts: StatisticsTexts) {
  return {
    soFar: { one: texts.soFar(1), more: texts.soFar(2) },
    newScans: texts.newScans,
    scans: texts.legend.scans,
    visitors: texts.legend.visitors,
  }
}

function counter(scans: number, texts: StatisticsTexts, formats: Formats): Html {
  return html`<p class="stats-total">
    <b>${formats.number(scans)}</b> <span>${texts.soFar(scans)}</span>
    <span class="chip" hidden>${texts.live}</span>
  </p>`
}

function content(view: StatisticsView, texts: StatisticsTexts, formats: Formats): Html {
  const { stats, totals, path, query } = view
  if (view.isBeyond === true)
    return html`${choices(view, texts)} ${detailedChoices(view, texts)} ${filterChips(view, texts)}
      <p class="note warning">${texts.filters.beyond}</p>`
  if (stats === undefined)
    return html`<p class="note warning">
      ${texts.unavailable} <a href="${addressOf(path, query)}">${texts.reload}</a>
    </p>`
  if (totals?.scans === 0) return neverScanned(view, texts)
  return html`${printHead(view, texts, formats)} ${choices(view, texts)} ${detailedChoices(view, texts)}
  ${filterChips(view, texts)}
  ${figures(stats, { isDetailed: query.isDetailed, isOfMany: view.link === undefined }, texts, formats)}
  ${remarks(view, stats, texts, formats)}
  ${stats.totals.scans === 0 ? nothingInWindow(view, texts) : drawings(view, stats, texts, formats)}
  ${foot(view, texts)}`
}

/** The code, the address or the name, and the time, which only a print has here. */
function printHead(
  { link, name, now, query }: StatisticsView,
  texts: StatisticsTexts,
  formats: Formats,
): Html | undefined {
  const local = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(query.tz).toPlainDateTime()
  const asOf = texts.printed(formats.date(local.toPlainDate().toString()), formats.time(local.toString().slice(0, 19)))
  return html`<div class="stats-print">
    ${link?.image !== undefined && html`<img src="${link.image}" alt="${texts.code(name)}" width="160" height="160" />`}
    <p>
      <b dir="auto">${name}</b><br />
      ${texts.audiences[query.audience]} · ${asOf}
    </p>
  </div>`
}

function remarks({ isCut, query }: StatisticsView, stats: Stats, texts: StatisticsTexts, formats: Formats): Html {
  const { days, from, to, timezone, raw_missing: missing, as_of: asOf } = stats
  const isHourly = days === 1 || query.interval === 'hour'
  const window =
    days === 1
      ? texts.dayIn(formats.date(to), timezone)
      : texts[isHourly ? 'hoursIn' : 'daysIn'](formats.date(from), formats.date(to), timezone)
  const lacking = missing === 0 ? undefined : texts.onlyCounted(formats.number(missing), missing === 1)
  const cut = isCut ? texts.cut : undefined
  const known = [window, comparison(stats, texts, formats), cut, lacking, asOf && texts.late].filter(
    (each) => each !== undefined,
  )
  return html`<p class="quiet small">${known.join(' · ')}</p>`
}

/** With which days the figures are compared. */
function comparison({ days, previous, compared }: Stats, texts: StatisticsTexts, formats: Formats): string | undefined {
  if (compared !== undefined)
    return texts.compared(formats.date(compared.from), compared.from === compared.to ? '' : formats.date(compared.to))
  if (previous === undefined) return undefined
  const until = Temporal.PlainDateTime.from(previous.until.slice(0, 19))
  // The end of a window that is over is the midnight after it.
  const last = until.subtract({ seconds: 1 }).toPlainDate().toString()
  if (days > 1) return texts.compared(formats.date(previous.from), formats.date(last))
  const isOver = until.toPlainDate().toString() !== previous.from
  return isOver ? texts.compared(formats.date(previous.from), '') : texts.comparedDay(formats.time(until.toString()))
}

function drawings(view: StatisticsView, stats: Stats, texts: StatisticsTexts, formats: Formats): Html {
  const { now, query } = view
  const { unit, columns } = columnsOf(stats, query.interval, { now, texts, formats })
  const marks = marksOf(view, stats, columns, texts, formats)
  const files = (names: string[], heading: string) => downloads(view, names, heading, texts)
  return html`<div class="card">
      ${chart({ columns, unit }, marks, texts, formats)} ${marksList(view, marks, texts, formats)}
      ${chartTable(columns, unit, texts, formats)} ${files(['series.csv', 'chart.svg'], texts.chart[unit])}
    </div>
    ${query.isDetailed && worldMap(stats.breakdowns.country, texts, formats, files(['map.svg'], texts.map.heading))}
    <div class="stats-panels">
      ${stats.heat !== undefined && heatTable(stats.heat, texts, formats, files(['heat.csv', 'heat.svg'], texts.heat.heading))}
      ${breakdownPanels(stats, view)}
    </div>`
}

function foot(view: StatisticsView, texts: StatisticsTexts): Html {
  const { csv, bundle, credit } = view
  return html`<div class="row stats-foot">
      ${csv !== undefined && html`<a class="button plain" href="${csv}" download>${texts.csv}</a>`}
      ${csv !== undefined && view.query.isDetailed && html`<a class="button plain" href="${csv.replace(/csv$/, 'ndjson')}" download>${texts.ndjson}</a>`}
      ${bundle !== undefined && html`<a class="button plain" href="${bundle}" download>${texts.bundle}</a>`}
      <button class="plain" data-print hidden>${texts.print}</button>
      ${zoneForm(view, texts)}
    </div>
    ${credit && creditNote(texts)}`
}

/** The link that the licence of the city database requires. */
function creditNote({ cities }: StatisticsTexts): Html {
  return html`<p class="quiet">${cities} <a href="https://db-ip.com">IP Geolocation by DB-IP</a></p>`
}

/** What an owner does first: the link has no scans at all. */
function neverScanned({ link }: StatisticsView, { empty }: StatisticsTexts): Html {
  if (link === undefined) return html`<p class="card quiet">${empty.links}</p>`
  const { code, image, print } = link
  return html`<div class="card stats-empty">
    ${image !== undefined && html`<img class="qr" src="${image}" alt="${empty.code}" width="176" height="176" />`}
    <div>
      <h3>${empty.heading}</h3>
      <p>${empty.text}</p>
      <ol>
        ${empty.steps.map((step) => html`<li>${step}</li>`)}
      </ol>
      ${
        image !== undefined &&
        html`<p class="row">
          <a class="button" href="${print}" download="${code}-a4.pdf">${empty.download}</a>
          <a class="button plain" href="/${code}/qr.png?size=1024" download="${code}.png">${empty.image}</a>
        </p>`
      }
    </div>
  </div>`
}

/** The window has no scans. */
function nothingInWindow({ query, totals, now }: StatisticsView, texts: StatisticsTexts): Html {
  const ever = totals && { human: totals.humans, bot: totals.bots, all: totals.scans }[query.audience]
  const { days } = datesOf(query.window, dateAt(now, query.tz))
  const isLonger = days < 365 && ever !== 0
  return html`<p class="card quiet">${texts.nothing[query.audience]} ${isLonger && texts.longer}</p>`
}
