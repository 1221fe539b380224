import { html, type Html } from '../../../http/html.ts'
import { fillText } from '../../../lib/fill-text.ts'
import { sizeTexts, tryTexts } from '../../../texts/try.ts'
import { addressOf } from './address.ts'
import { LEAST_WIDTH, MOST_WIDTH, PIXELS_PER_MM, WIDTHS, wordsOfSize } from './size-words.ts'
import type { TryView } from './view.ts'

/** The code at its size on paper, what is said of that, and how the size is chosen and compared. */
export function sizePanel(view: TryView, { path, alt }: { path: string; alt: string }): Html {
  const { width, size, language } = view
  const texts = sizeTexts[language]
  const { distance, remark, isWarning } = wordsOfSize(width, size, texts, language)
  const pixels = Math.round(width * PIXELS_PER_MM)
  return html`<section
    class="card try-size"
    id="try-size"
    aria-labelledby="try-size-heading"
    data-width="${width}"
    data-size="${size === undefined ? '' : JSON.stringify(size)}"
    data-texts="${JSON.stringify(texts)}"
  >
    <h2 id="try-size-heading">${tryTexts[language].size}</h2>
    ${widths(view)}
    <div class="try-paper"><img src="${path}" alt="${alt}" width="${pixels}" /></div>
    <p class="small try-truth">${texts.asScreenSays}</p>
    <p class="note try-wide" hidden>${texts.wide}</p>
    <p class="try-remark ${isWarning && 'note warning'}">${remark}</p>
    <p class="small quiet try-distance">${distance}</p>
    ${ownWidth(view)} ${places(view)} ${comparison(view)}
  </section>`
}

function widths(view: TryView): Html {
  const { width, language } = view
  return html`<nav class="tabs try-widths" aria-label="${tryTexts[language].size}">
    ${WIDTHS.map((each) => {
      const isCurrent = each === width && html` aria-current="true"`
      const label = fillText(sizeTexts[language].millimetres, { width: each })
      return html`<a href="${addressOf(view, { width: each })}" data-width="${each}" ${isCurrent}>${label}</a>`
    })}
  </nav>`
}

function ownWidth({ width, placement, since, language, access }: TryView): Html {
  const texts = tryTexts[language]
  return html`<form class="try-choice" action="${access.page}/try">
    <label for="try-own">${texts.own}</label>
    <input id="try-own" name="mm" type="number" min="${LEAST_WIDTH}" max="${MOST_WIDTH}" value="${width}" />
    ${placement !== undefined && html`<input type="hidden" name="placement" value="${placement.id}" />`}
    <input type="hidden" name="since" value="${since}" />
    <button class="plain">${texts.show}</button>
  </form>`
}

/** Which code of a link with places is shown. Scans of another one are awaited from then on. */
function places({ width, placement, link, language, access }: TryView): Html | undefined {
  const texts = tryTexts[language]
  if (link.placements.length === 0) return undefined
  return html`<form class="try-choice" action="${access.page}/try">
    <label for="try-place">${texts.place}</label>
    <select id="try-place" name="placement">
      <option value="">${texts.noPlace}</option>
      ${link.placements.map(
        (each) =>
          html`<option value="${each.id}" ${each.id === placement?.id && html`selected`}>
            ${each.name?.trim() || each.id}
          </option>`,
      )}
    </select>
    <input type="hidden" name="mm" value="${width}" />
    <button class="plain">${texts.show}</button>
  </form>`
}

/** Where the screen is compared with a card; a script shows it, as nothing could be compared without one. */
function comparison({ language }: TryView): Html {
  const texts = sizeTexts[language]
  return html`<details class="try-compare" id="try-compare" hidden>
    <summary>${texts.compare}</summary>
    <p class="small">${texts.how}</p>
    <label for="try-slider">${texts.slider}</label>
    <input id="try-slider" type="range" min="40" max="240" step="0.25" value="100" />
    <div class="try-card" aria-hidden="true"><span>${texts.card}</span></div>
    <p class="row">
      <button type="button" class="plain" data-fits>${texts.fitsNow}</button>
      <button type="button" class="bare" data-forget hidden>${texts.forget}</button>
    </p>
    <p class="small quiet" role="status"></p>
  </details>`
}
