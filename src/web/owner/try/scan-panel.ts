import { dimensions, type DimensionName } from '../../../dimensions/dimensions.ts'
import { html, type Html } from '../../../http/html.ts'
import { activeRules } from '../../../links/rules/rule.ts'
import { breakdownTexts } from '../../../texts/breakdowns.ts'
import { tryTexts } from '../../../texts/try.ts'
import { nameIn } from '../../statistics/value-name.ts'
import { timeElement, withTime } from '../time.ts'
import { addressOf } from './address.ts'
import type { Arrival } from './arrivals.ts'
import type { TryView } from './view.ts'

/** What of a scan tells its owner that it is his. */
const TELLING: readonly DimensionName[] = ['device', 'os', 'browser']

/** How to scan, what has arrived, and what to check when nothing does. */
export function scanPanel(view: TryView): Html {
  const { access, counted, count, looks, language } = view
  const texts = tryTexts[language]
  const { waiting, late } = texts
  // Another address each time: a link to a part of the same one would load nothing.
  const again = addressOf(view, { look: String(looks + 1) })
  return html`<section
    class="card try-scan"
    id="try-scan"
    aria-labelledby="try-scan-heading"
    data-stream="${access.api}/stream"
    data-arrived="${addressOf(view, { only: 'scans' })}"
    data-counted="${counted}"
    data-count="${count ?? ''}"
    data-texts="${JSON.stringify({ waiting, late })}"
  >
    <h2 id="try-scan-heading">${texts.steps.heading}</h2>
    <ol>
      <li>${texts.steps.camera}</li>
      <li>${texts.steps.tap}</li>
      <li class="try-look">${texts.steps.lookByHand}</li>
      <li class="try-live" hidden>${texts.steps.look}</li>
    </ol>
    ${arrived(view)}
    <p class="try-look"><a class="button" href="${again}#try-scan">${texts.look}</a></p>
    <p class="small quiet">${texts.real} ${counted === 'scans' && texts.unmarked}</p>
    ${checks(view)}
  </section>`
}

/** The sentence on what has arrived, which the script of the page replaces. */
export function arrived({ arrivals, since, language }: TryView): Html {
  const texts = tryTexts[language]
  const has = arrivals !== undefined && arrivals.length > 0
  return html`<div class="note try-arrived" role="status" ${has && html` data-has`}>
    ${
      has
        ? html`<p><b>${texts.arrived}</b></p>
            <ul>
              ${arrivals.map((each) => scan(each, language))}
            </ul>
            <p class="small">${texts.others}</p>`
        : html`<p>${arrivals === undefined ? texts.unreadable : withTime(texts.none, since, language)}</p>`
    }
  </div>`
}

function scan(arrival: Arrival, language: TryView['language']): Html {
  const told = TELLING.flatMap((name) => {
    const dimension = dimensions.find((each) => each.name === name)
    const value = arrival[name]
    return dimension === undefined || value === null
      ? []
      : [nameIn(dimension.words[language], breakdownTexts[language], { country: (code) => code })({ value })]
  })
  return html`<li>${timeElement(arrival.scanned_at, language)}${told.map((each) => html` · ${each}`)}</li>`
}

function checks({ link, origin, language }: TryView): Html {
  const { check } = tryTexts[language]
  return html`<details class="try-checks">
    <summary>${check.heading}</summary>
    <ul>
      <li>${check.tap}</li>
      <li>${check.light}</li>
      <li>${check.distance}</li>
      ${link.password !== null && html`<li>${check.password}</li>`}
      <li>${check.reach(new URL(origin).host)}</li>
      ${activeRules(link.rules).length > 0 && html`<li>${check.rules}</li>`}
      <li>${check.hand}</li>
    </ul>
  </details>`
}
