import { isDeepStrictEqual } from 'node:util'
import type { Executor } from '../db/database.ts'
import { isObject } from '../http/body.ts'
import type { Link } from './link.ts'

/** The designs that owners have saved for the QR images of their links; what a design is, others know. */
export interface LinkDesigns {
  of: (linkId: number) => Promise<object | undefined>
  /** @throws {Problem} 400 for what is no design, or one whose images cannot be scanned */
  requireScannable: (value: unknown, link: { code: string; origin: string }, client: string) => Promise<void>
  /** Saves a design, or none, as part of a transaction. */
  save: (db: Executor, linkId: number, design: CheckedDesign) => Promise<void>
}

declare const checked: unique symbol

/** A design that may be saved for a link: it can be scanned, or it was saved for this link before. Only `checkDesign` makes one. */
export interface CheckedDesign {
  /** Null takes the design away. */
  readonly value: object | null
  readonly [checked]: true
}

/** A link with its design, as its owner sees it. */
export interface OwnedLink {
  link: Link
  design: object | undefined
}

/** How a design is drawn to be checked. */
export interface Drawing {
  /** Where the address in the image begins. */
  origin: string
  /** A key of the client, whose images wait for one another. */
  client: string
  /** Charges the image that is about to be drawn; throws when none may be. */
  charge: () => void
}

/**
 * Checks the design that the body of a change names; undefined when it names none. The design that the link has is known
 * to be good, and is not drawn again.
 * @throws {Problem} 400 when it is no design or cannot be scanned, and what `charge` throws
 */
export async function checkDesign(
  designs: Pick<LinkDesigns, 'requireScannable'>,
  { link, design }: OwnedLink,
  body: unknown,
  { origin, client, charge }: Drawing,
): Promise<CheckedDesign | undefined> {
  const value = isObject(body) ? body['design'] : undefined
  if (value === undefined) return undefined
  if (value !== null && !isDeepStrictEqual(value, design)) {
    charge()
    await designs.requireScannable(value, { code: link.code, origin }, client)
  }
  return { value } as CheckedDesign
}
