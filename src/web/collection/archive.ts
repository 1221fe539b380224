import { UNKNOWN_VALUE } from '../../dimensions/dimension.ts'
import { html, type Html } from '../../http/html.ts'
import { MAX_ROWS } from '../../links/bulk/bulk.ts'
import { archiveTexts } from '../../texts/archive.ts'
import { linkParts } from '../link-parts.ts'
import { folded } from './parts.ts'
import { pathOf, type CollectionView } from './view.ts'

/** The images of all codes in one ZIP. */
export function archiveSection(view: CollectionView): Html {
  const texts = archiveTexts[view.language]
  const { campaigns, links } = view.overview
  const chosen = (name: string, label: string, options: [value: string, text: string][]) =>
    html`<p>
      <label for="archive-${name}">${label}</label>
      <select id="archive-${name}" name="${name}">
        ${options.map(([value, text]) => html`<option value="${value}">${text}</option>`)}
      </select>
    </p>`
  const ofCampaigns = campaigns.map(({ value }): [string, string] => [value ?? UNKNOWN_VALUE, value ?? texts.none])
  return folded(
    { id: 'archive', title: texts.title, isOpen: false },
    html`<form class="label-form" method="get" action="${pathOf(view)}/codes.zip">
      <p>${texts.lead}</p>
      ${chosen('format', texts.format, Object.entries(texts.formats))}
      ${chosen('names', texts.names, Object.entries(texts.named))}
      ${campaigns.length > 1 && chosen('campaign', texts.campaign, [['', texts.all], ...ofCampaigns])}
      ${links > MAX_ROWS && chosen('part', `${texts.part} (${texts.partHint})`, linkParts(links, MAX_ROWS, view.language))}
      <p><button class="plain">${texts.button}</button></p>
    </form>`,
  )
}
