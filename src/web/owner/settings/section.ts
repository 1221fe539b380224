import { html, type Html } from '../../../http/html.ts'
import type { Language } from '../../../texts/language.ts'
import { placementTexts } from '../../../texts/placements.ts'
import { settingsTexts } from '../../../texts/settings.ts'
import { sharingTexts } from '../../../texts/settings-sharing.ts'
import type { Notice, OwnerView } from '../view.ts'
import { cardId } from './card.ts'
import { keyCard } from './key.ts'
import { namesCard } from './names.ts'
import { passwordCard } from './password.ts'
import { pauseCard } from './pause.ts'
import { placementsCard } from './placements.ts'
import { sharesCard } from './shares.ts'
import { webhookCard } from './webhook.ts'

/** The section of the settings. A suspended link has only those that change nothing of it. */
export function settingsSection(view: OwnerView, notice: Notice | undefined): Html {
  const changes = [namesCard, placementsCard, pauseCard, passwordCard]
  const cards = view.link.suspension === null ? [...changes, sharesCard, webhookCard, keyCard] : [sharesCard, keyCard]
  return html`<section id="settings" aria-labelledby="settings-title">
    <h2 id="settings-title">${settingsTexts[view.language].title}</h2>
    <div class="settings-cards">${cards.map((card) => card(view, notice))}</div>
  </section>`
}

/** What the page says after a form of the settings, by the name in its query. */
export function settingsNotices(language: Language): Record<string, Notice> {
  const { names, pause, password } = settingsTexts[language]
  const { shares, webhook } = sharingTexts[language]
  return {
    named: { at: cardId('names'), text: names.done },
    placed: { at: cardId('placements'), text: placementTexts[language].done },
    unplaced: { at: cardId('placements'), text: placementTexts[language].removed },
    paused: { at: cardId('pause'), text: pause.donePaused },
    resumed: { at: cardId('pause'), text: pause.doneResumed },
    protected: { at: cardId('password'), text: password.done },
    unprotected: { at: cardId('password'), text: password.removed },
    shared: { at: cardId('shares'), text: shares.created },
    revoked: { at: cardId('shares'), text: shares.revoked },
    'webhook-saved': { at: cardId('webhook'), text: webhook.done },
    'webhook-removed': { at: cardId('webhook'), text: webhook.removed },
  }
}
