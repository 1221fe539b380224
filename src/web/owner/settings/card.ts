import { html, type Html } from '../../../http/html.ts'
import type { Notice, OwnerView } from '../view.ts'

/** The names of the cards: their ids on the page. */
export type CardName = 'names' | 'placements' | 'pause' | 'password' | 'shares' | 'webhook' | 'key'

/** The id of a card's element. */
export function cardId(name: CardName): string {
  return `settings-${name}`
}

/** One of the settings. */
export interface Card {
  name: CardName
  title: string
  /** The present value in a word or two, which is visible while the card is folded. */
  state?: string | undefined
  /** How it looks: `quiet` for what is not in use. */
  tone?: 'quiet' | 'warning' | 'alarm' | undefined
  body: Html
}

/** A card that unfolds; open when the owner has just used its form. */
export function renderCard({ name, title, state, tone, body }: Card, notice: Notice | undefined): Html {
  const own = notice?.at === cardId(name) ? notice : undefined
  return html`<details class="card settings-card" id="${cardId(name)}" ${own && html` open`}>
    <summary>
      <h3>${title}</h3>
      ${state !== undefined && html`<span class="settings-value ${tone === 'quiet' ? 'quiet small' : ['chip', tone].filter(Boolean).join(' ')}">${state}</span>`}
    </summary>
    ${own && renderNotice(own)} ${body}
  </details>`
}

/** What became of a form, above it. The browser focuses the message of a problem that is not one of a field. */
export function renderNotice({ text, problem, isMarked = false }: Notice): Html {
  if (problem === undefined) return html`<p class="note" role="status">${text}</p>`
  return html`<p class="note alarm" role="alert" ${!isMarked && html` tabindex="-1" autofocus`}>${text}</p>`
}

/** A form of the owner's page. */
export function ownerForm(
  { access, formKey }: Pick<OwnerView, 'access' | 'formKey'>,
  action: string,
  content: Html,
): Html {
  return html`<form method="post" action="${access.page}">
    <input type="hidden" name="action" value="${action}" />
    <input type="hidden" name="idempotency_key" value="${formKey}" />
    ${content}
  </form>`
}

/** A step that cannot be undone: its button is inside of a section that the owner unfolds first. */
export function twoSteps(summary: Html | string, content: Html): Html {
  return html`<details class="settings-step">
    <summary>${summary}</summary>
    ${content}
  </details>`
}
