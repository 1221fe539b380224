import { html, type Html } from '../../http/html.ts'
import type { StatisticsTexts } from '../../texts/statistics.ts'
import type { StatisticsView } from './view.ts'

/** What an owner does first: the link has no scans at all. */
export function neverScanned({ code, image, print }: StatisticsView, { empty }: StatisticsTexts): Html {
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
export function nothingInWindow({ query, totals }: StatisticsView, texts: StatisticsTexts): Html {
  const ever = totals && { human: totals.humans, bot: totals.bots, all: totals.scans }[query.audience]
  const isLonger = query.days < 365 && ever !== 0
  return html`<p class="card quiet">${texts.nothing[query.audience]} ${isLonger && texts.longer}</p>`
}
