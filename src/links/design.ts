import { isDeepStrictEqual } from 'node:util'
import type { Executor } from '../db/database.ts'
import { isObject } from '../http/body.ts'
import type { Client } from './client.ts'
import type { Link } from './link.ts'
import type { WebhookDetails } from './webhook.ts'
import type { Holder } from '../lib/holder.ts'

/** The designs that owners have saved for the QR images of their links; only `qr` knows what a design holds. */
export interface Designs<Design extends object = object> {
  of: (linkId: number) => Promise<Design | undefined>
  /**
   * Validates a design from a request, and draws it once to check that the images of a link can be scanned.
   * @param holder who waits for the image
   * @throws {Problem} 400 with all invalid fields, or for an image that cannot be read
   */
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

/**
 * Checks the design in the body of a change or an import; returns undefined when there is none. A new one is drawn, which is
 * charged; the link's own design is not checked again.
 * @throws {Problem} 400 when the design is invalid or cannot be scanned, and what `charge` rejects with
 */
export async function checkDesign(
  designs: Designs,
  { code, design }: { code: string; design: object | undefined },
  body: unknown,
  { origin, holder, charge }: Client,
): Promise<CheckedDesign | undefined> {
  const value = isObject(body) ? body['design'] : undefined
  if (value === undefined) return undefined
  if (value !== null && !isDeepStrictEqual(value, design)) {
    await charge('qr')
    await designs.requireScannable(value, { code, origin }, holder)
  }
  return { value } as CheckedDesign
}
