import type { Page } from '../../../http/document.ts'
import { html } from '../../../http/html.ts'
import { locales, type Language } from '../../../texts/language.ts'
import { destination } from '../../utm.ts'
import { DEFAULT_ACCENT, type Content, type Outcome, type Picture, type Viewer } from '../kind.ts'
import { avatarOf } from '../shared/avatar.ts'
import { reportFooter } from '../shared/report-footer.ts'
import { saveButton } from '../shared/save-button.ts'
import { addressHead, descriptionOf } from '../shared/social.ts'
import { wallTimes, zoneOf, type EventFields } from './event.ts'
import { isDay } from './moment.ts'
import { signOfEvent, whenText } from './preview.ts'
import { texts } from './texts.ts'

export function pictureOf(event: EventFields): Picture {
  const { start } = wallTimes(event)
  const text = [start.replace('T', ', '), event.location].filter(Boolean).join(' · ')
  return { title: event.summary, text, initials: signOfEvent(start), accent: DEFAULT_ACCENT }
}

/** What a page shows of an event, computed once for all its visits. */
interface Shown extends ReturnType<typeof wallTimes> {
  code: string
  extension: string
  event: EventFields
  address: string | undefined
  isProtected: boolean
}

/** Prepares the page of an event. @param extension that of its file */
export function prepare(
  { code, payload: event, utm, isProtected = false }: Content<EventFields>,
  extension: string,
): () => Outcome {
  const address = event.url && destination(event.url, utm)
  const shown: Shown = { ...wallTimes(event), code, extension, event, address, isProtected }
  return () => ({ type: 'document', pageFor: (viewer) => eventPage(shown, viewer) })
}

function eventPage(shown: Shown, viewer: Viewer): Omit<Page, 'site'> {
  const { code, event, start, end, address, isProtected } = shown
  const { language } = viewer
  const { labels, page: wording } = texts[language]
  const { summary, location, description } = event
  const when = whenText(start, end, language)
  return {
    title: summary,
    ...(!isProtected && { description: descriptionOf(wording.about(summary, when, location ?? '')) }),
    lang: language,
    isOwners: true,
    head: html`${!isProtected && addressHead(`${viewer.origin}/${code}`, pictureOf(event))}`,
    body: html`<main class="facts">
        ${avatarOf(signOfEvent(start))}
        <h1 lang="" dir="auto">${summary}</h1>
        <p>${when}</p>
        ${!isDay(event.start) && html`<p class="hint">${zoneName(event, language)}</p>`}
        ${location && html`<p class="text" lang="" dir="auto">${location}</p>`} ${saveButton(shown, viewer, wording)}
        ${description && html`<p class="text" lang="" dir="auto">${description}</p>`}
        ${
          address &&
          html`<p class="actions">
            <a class="button plain" href="${address}" rel="noopener nofollow">${labels.url}</a>
          </p>`
        }
      </main>
      ${reportFooter(code, viewer)}`,
  }
}

/** The time zone of its times, by the name that people know. */
function zoneName(event: EventFields, language: Language): string {
  const timeZone = zoneOf(event)
  const format = new Intl.DateTimeFormat(locales[language], { timeZone, timeZoneName: 'long' })
  const parts = format.formatToParts(Temporal.Instant.from(event.start).epochMilliseconds)
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? timeZone
}
