import { MAX_PLACEMENTS } from '../../../dimensions/placement.ts'
import { html, type Html } from '../../../http/html.ts'
import type { OwnedLink } from '../../../links/design.ts'
import { entityTag } from '../../../links/link.ts'
import { placementIdOf, type Placement } from '../../../links/placements.ts'
import { placementTexts } from '../../../texts/placements.ts'
import type { Action, Submission } from '../submission.ts'
import type { Notice, OwnerView } from '../view.ts'
import { cardId, ownerForm, renderCard } from './card.ts'
import { renderField, typedInto } from './field.ts'
import { submit } from './submit.ts'

const at = cardId('placements')

/** Lists the places in which the code hangs, with the code of each, and adds and removes them. */
export function placementsCard(view: OwnerView, notice: Notice | undefined): Html {
  const { placements } = view.link
  const texts = placementTexts[view.language]
  const own = notice?.at === at ? notice : undefined
  const body = html`<p class="quiet">${texts.lead}</p>
    ${
      placements.length > 0 &&
      html`<ul class="settings-list">
          ${placements.map((placement) => placementItem(view, placement))}
        </ul>
        <p><a class="button plain" href="${view.access.page}/placements">${texts.printAll}</a></p>`
    }
    ${additionForm(view, own)}`
  const tone = placements.length === 0 ? 'quiet' : undefined
  return renderCard(
    { name: 'placements', title: texts.title, state: texts.count(placements.length), tone, body },
    notice,
  )
}

const formats = [
  ['png', '&size=1024'],
  ['svg', ''],
  ['pdf', ''],
] as const

function placementItem(view: OwnerView, { id, name }: Placement): Html {
  const { code } = view.link
  const texts = placementTexts[view.language]
  const title = name?.trim() || id
  const removal = html`<input type="hidden" name="id" value="${id}" />
    <button class="plain" aria-label="${texts.remove}: ${title}">${texts.remove}</button>`
  return html`<li>
    <p class="row">
      <img
        class="qr settings-code"
        src="/${code}/qr.svg?placement=${id}"
        alt="${texts.downloads(title)}"
        loading="lazy"
        width="64"
        height="64"
      />
      <strong dir="auto">${title}</strong> ${title !== id && html`<code>${id}</code>`}
    </p>
    <div class="row">
      <a class="button plain" href="${view.access.page}/print?placement=${id}" aria-label="${texts.print}: ${title}"
        >${texts.print}</a
      >
      ${formats.map(
        ([format, more]) =>
          html`<a
            class="button plain"
            href="/${code}/qr.${format}?placement=${id}${more}"
            download="${code}-${id}.${format}"
            aria-label="${texts.downloads(title)}, ${format.toUpperCase()}"
            >${format.toUpperCase()}</a
          >`,
      )}
      ${ownerForm(view, 'placement-removal', removal)}
    </div>
  </li>`
}

function additionForm(view: OwnerView, own: Notice | undefined): Html {
  const texts = placementTexts[view.language]
  const field = (name: 'name' | 'id', label: string, fault: string, hint?: string) =>
    renderField({
      name: `placement-${name}`,
      label,
      ...(hint !== undefined && { hint }),
      value: typedInto(own, name) ?? '',
      fault: own?.problem?.errors.some(({ pointer }) => pointer.endsWith(`/${name}`)) === true ? fault : undefined,
    })
  const form = html`<h4>${texts.new}</h4>
    ${view.link.placements.length >= MAX_PLACEMENTS && html`<p class="note">${texts.full(MAX_PLACEMENTS)}</p>`}
    <p class="hint">${texts.advice}</p>
    <div class="settings-pair">
      <div>${field('name', texts.name, texts.nameFault)}</div>
      <div>${field('id', texts.id, texts.idFault, texts.idHint)}</div>
    </div>
    <button>${texts.button}</button>`
  return ownerForm(view, 'placement', form)
}

/** Adds a place, or changes the name of the one with this ID. */
export const savePlacement: Action = (submission) => {
  const { form } = submission
  const [id, name] = ['id', 'name'].map((field) => (form.get(`placement-${field}`) ?? '').trim()) as [string, string]
  return submit({ at, pointers: ['/placements'], values: { id, name } }, submission, async (owned) => {
    const { placements } = owned.link
    const ownId = id === '' && name !== '' ? placementIdOf(name, placements) : id
    const placement = { id: ownId, ...(name !== '' && { name }) }
    const present = placements.findIndex(isNamed(ownId))
    const next =
      present === -1
        ? [...placements, placement]
        : placements.with(present, { ...placement, id: placements[present]?.id ?? ownId })
    await savePlacements(submission, owned, next)
    return { done: 'placed', at }
  })
}

/** A place that was removed in another window is as removed as the owner wants it. */
export const removePlacement: Action = (submission) =>
  submit({ at, pointers: [] }, submission, async (owned) => {
    const isRemoved = isNamed(submission.form.get('id') ?? '')
    await savePlacements(
      submission,
      owned,
      owned.link.placements.filter((placement) => !isRemoved(placement)),
    )
    return { done: 'unplaced', at }
  })

const isNamed = (given: string) => (placement: Placement) => placement.id.toLowerCase() === given.toLowerCase()

async function savePlacements({ change }: Submission, owned: OwnedLink, placements: Placement[]): Promise<void> {
  // What another window has changed meanwhile is not undone.
  await change(owned, { placements }, { ifMatch: entityTag(owned.link) })
}
