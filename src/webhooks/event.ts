import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { ownFields } from '../links/kinds/index.ts'
import type { Link, Reported } from '../links/link.ts'
import type { WebhookEventType } from '../links/webhook.ts'

/** An event that is sent to a webhook. */
export interface WebhookEvent {
  /** Stays the same in every attempt. */
  id: string
  type: WebhookEventType
  /** The JSON that is sent. */
  body: string
  at: number
  /** A digest of the network whose request has caused it, which shares what its receiver may have with others. */
  network?: string
}

export function createEvent(type: WebhookEventType, at: number, data: object): WebhookEvent {
  const body = JSON.stringify({ type, timestamp: new Date(at).toISOString(), data })
  return { id: newEventId(), type, body, at }
}

/** Each webhook gets an event with an id of its own: a receiver of several is to take none of them for a repetition. */
export function newEventId(): string {
  return `msg_${randomUUID().replaceAll('-', '')}`
}

/** Fields of a link whose change is no news by itself. */
const silent = new Set(['revision', 'updatedAt', 'suspension', 'warning', 'reported'])

/** The names of the fields that differ between two revisions of a link, as the API calls them; never their values. */
export function changedFields(before: Link, after: Link): string[] {
  const fields = Object.keys(after) as (keyof Link)[]
  const valueOf = (link: Link, field: keyof Link) => (field === 'payload' ? ownFields(link) : link[field])
  const changed: string[] = fields.filter(
    (field) => !silent.has(field) && !isDeepStrictEqual(valueOf(before, field), valueOf(after, field)),
  )
  if ((before.suspension === null) !== (after.suspension === null)) changed.push('removed')
  if (!isDeepStrictEqual(before.warning, after.warning)) changed.push('warned')
  return changed
}

/** The event of a change of a link; undefined when nothing that it tells has changed. */
export function changeEvent(before: Link, after: Link, further: string[], at: number): WebhookEvent | undefined {
  const { code, revision, suspension } = after
  if (before.suspension === null && suspension !== null) {
    const { reason, source } = suspension
    return createEvent('link.removed', at, {
      code,
      revision,
      reason,
      source,
      at: new Date(suspension.at).toISOString(),
    })
  }
  const changed = [...changedFields(before, after), ...further]
  return changed.length === 0 ? undefined : createEvent('link.changed', at, { code, revision, changed })
}

/** The event of a link that many people have reported. */
export function reportedEvent({ code, revision }: Link, { at, networks, reason }: Reported): WebhookEvent {
  return createEvent('link.reported', at, { code, revision, networks, reason, at: new Date(at).toISOString() })
}
