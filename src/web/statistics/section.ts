import { html, type Html } from '../../http/html.ts'
import { breakdownTexts } from '../../texts/breakdowns.ts'
import { statisticsTexts, type StatisticsTexts } from '../../texts/statistics.ts'
import { breakdownPanels } from './breakdowns.ts'
import { chart, chartTable } from './chart.ts'
import { columnsOf } from './columns.ts'
import { figures } from './figures.ts'
import { formatsIn, type Formats } from './formats.ts'
import type { StatisticsView, PageQuery } from './view.ts'

type Stats = NonNullable<StatisticsView['stats']>
const lengths = [1, 7, 30, 90, 365]

/** The statistics of a link, on the pages of its owner and of its shares. */
export function statisticsSection(view: StatisticsView): Html {
  const { language, stream, totals, query } = view
  const texts = statisticsTexts[language]
  const formats = formatsIn(language)
  return html`<section
    id="statistics"
    class="stats"
    aria-labelledby="statistics-heading"
    data-zone="${query.tz}"
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
  if (stats === undefined)
    return html`<p class="note warning">
      ${texts.unavailable} <a href="${addressOf(path, query)}">${texts.reload}</a>
    </p>`
  if (totals?.scans === 0) return neverScanned(view, texts)
  return html`${printHead(view, texts)} ${choices(view, texts)} ${figures(stats, texts, formats)}
  ${remarks(stats, texts, formats)}
  ${stats.totals.scans === 0 ? nothingInWindow(view, texts) : drawings(view, stats, texts, formats)}
  ${foot(view, texts)}`
}

/** The code and its address, which only a print has here. */
function printHead({ image, shortUrl }: StatisticsView, texts: StatisticsTexts): Html | undefined {
  if (image === undefined) return undefined
  return html`<div class="stats-print">
    <img src="${image}" alt="${texts.code(shortUrl)}" width="160" height="160" />
    <p><b>${shortUrl}</b></p>
  </div>`
}

function remarks(
  { days, from, to, timezone, previous, raw_missing: missing, as_of: asOf }: Stats,
  texts: StatisticsTexts,
  formats: Formats,
): Html {
  const window =
    days === 1 ? texts.dayIn(formats.date(to), timezone) : texts.daysIn(formats.date(from), formats.date(to), timezone)
  const until = previous?.until.slice(0, 19) ?? ''
  const compared =
    previous &&
    (days === 1
      ? texts.comparedDay(formats.time(until))
      : texts.compared(formats.date(previous.from), formats.date(until)))
  const lacking = missing === 0 ? undefined : texts.onlyCounted(formats.number(missing), missing === 1)
  const known = [window, compared, lacking, asOf && texts.late].filter((each) => each !== undefined)
  return html`<p class="quiet small">${known.join(' · ')}</p>`
}

function drawings(
  { now, language, placement }: StatisticsView,
  stats: Stats,
  texts: StatisticsTexts,
  formats: Formats,
): Html {
  const columns = columnsOf(stats, now, formats)
  const unit = stats.hours === undefined ? 'day' : 'hour'
  return html`<div class="card">
      ${chart(columns, unit, texts, formats)} ${chartTable(columns, unit, texts, formats)}
    </div>
    ${breakdownPanels(stats, { texts: breakdownTexts[language], language, ...(placement && { placement }) })}`
}

function foot(view: StatisticsView, texts: StatisticsTexts): Html {
  const { csv, bundle, credit } = view
  return html`<div class="row stats-foot">
      ${csv !== undefined && html`<a class="button plain" href="${csv}" download>${texts.csv}</a>`}
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

/** The address of a page with a window, which can be bookmarked. */
function addressOf(path: string, { days, audience, tz }: PageQuery): string {
  return `${path}?${new URLSearchParams({ days: String(days), audience, tz }).toString()}#statistics`
}

/** The links that choose the window. */
function choices({ path, query }: StatisticsView, texts: StatisticsTexts): Html {
  const link = (change: Partial<PageQuery>, text: Html | string) => {
    const isCurrent = Object.entries(change).every(([name, value]) => query[name as keyof PageQuery] === value)
    return html`<a href="${addressOf(path, { ...query, ...change })}" ${isCurrent && html`aria-current="true"`}
      >${text}</a
    >`
  }
  const audiences = ['human', 'all', ...(query.audience === 'bot' ? (['bot'] as const) : [])] as const
  return html`<div class="row stats-choices">
    <nav class="tabs stats-period" aria-label="${texts.period}">
      ${lengths.map((days) => link({ days }, days === 1 ? texts.today : html`${days}<span> ${texts.days}</span>`))}
    </nav>
    <nav class="tabs" aria-label="${texts.visitors}">
      ${audiences.map((audience) => link({ audience }, texts.audiences[audience]))}
    </nav>
  </div>`
}

/** UTC, which is the default, and the zones that the runtime knows. */
const zones = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')]

const zoneOptions = new Map(zones.map((zone) => [zone, html`<option>${zone}</option>`]))

/** The form that chooses the time zone. */
function zoneForm({ path, query }: StatisticsView, texts: StatisticsTexts): Html {
  return html`<details class="stats-zone">
    <summary>${texts.zone}: ${query.tz}</summary>
    <form action="${path}#statistics" class="row">
      <input type="hidden" name="days" value="${query.days}" />
      <input type="hidden" name="audience" value="${query.audience}" />
      <select name="tz" aria-label="${texts.zone}">
        <option selected>${query.tz}</option>
        ${zones.map((zone) => (zone === query.tz ? undefined : zoneOptions.get(zone)))}
      </select>
      <button class="plain">${texts.change}</button>
    </form>
  </details>`
}

/** What an owner does first: the link has no scans at all. */
function neverScanned({ code, image, print }: StatisticsView, { empty }: StatisticsTexts): Html {
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
function nothingInWindow({ query, totals }: StatisticsView, texts: StatisticsTexts): Html {
  const ever = totals && { human: totals.humans, bot: totals.bots, all: totals.scans }[query.audience]
  const isLonger = query.days < 365 && ever !== 0
  return html`<p class="card quiet">${texts.nothing[query.audience]} ${isLonger && texts.longer}</p>`
}
