import { isDeepStrictEqual } from 'node:util'
import type { Executor } from '../db/database.ts'
import { isObject } from '../http/body.ts'
import type { Link } from './link.ts'
import type { WebhookDetails } from './webhook.ts'
import type { Holder } from '../lib/holder.ts'

/** The designs that owners have saved for the QR images of their links; only `qr` knows what a design holds. */
export interface LinkDesigns {
  of: (linkId: number) => Promise<object | undefined>
  /** @throws {Problem} 400 for an invalid design, or one whose images cannot be scanned */
  requireScannable: (value: unknown, link: { code: string; origin: string }, holder: Holder) => Promise<void>
  /** Saves or removes a design as part of a transaction. */
  save: (db: Executor, linkId: number, design: CheckedDesign) => Promise<void>
}

declare const checked: unique symbol

/** A design that may be saved for a link: it can be scanned, or it is the link's own. Only `checkDesign` returns one. */
export interface CheckedDesign {
  /** Null removes the design. */
  readonly value: object | null
  readonly [checked]: true
}

/** A link with its design: what a revision holds. */
export interface DesignedLink {
  link: Link
  design: object | undefined
}

/** A link with its design and its webhook, as its owner sees it. */
export interface OwnedLink extends DesignedLink {
  webhook: WebhookDetails | null
}

/** Options of the image that a check draws. */
export interface Drawing {
  /** The origin of the short URL in the image. */
  origin: string
  /** Who waits for the image. */
  holder: Holder
  /** Charges the image to the client's quota; rejects when that is used up. */
  charge: () => Promise<unknown>
}

/**
 * Checks the design in the body of a change; returns undefined when there is none. The link's own design is not checked
 * again.
 * @throws {Problem} 400 when the design is invalid or cannot be scanned, and what `charge` rejects with
 */
export async function checkDesign(
  designs: Pick<LinkDesigns, 'requireScannable'>,
  { link, design }: DesignedLink,
  body: unknown,
  { origin, holder, charge }: Drawing,
): Promise<CheckedDesign | undefined> {
  const value = isObject(body) ? body['design'] : undefined
  if (value === undefined) return undefined
  if (value !== null && !isDeepStrictEqual(value, design)) {
    await charge()
    await designs.requireScannable(value, { code: link.code, origin }, holder)
  }
  return { value } as CheckedDesign
}
