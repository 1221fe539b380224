import type { Executor } from '../db/database.ts'
import type { Problem } from '../http/problem.ts'
import type { Credential } from './credential.ts'
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
  requireScannable: (value: unknown, link: LinkOfDesign, holder: Holder) => Promise<void>
  /**
   * The same for many codes, in a tenth of the time of as many images.
   * @returns for each code, in their order, why it cannot be scanned; undefined when it can
   * @throws {Problem} 400 for a design that no code can have, 503 when too many images wait, or the time is over
   */
  checkCodes: (value: unknown, codes: CodesOfDesign, requester: Drawer) => Promise<(Problem | undefined)[]>
  /** Saves or removes a design as part of a transaction. */
  save: (db: Executor, linkId: number, design: CheckedDesign) => Promise<void>
  /** Saves the designs of links that the transaction creates. */
  saveNew: (db: Executor, designs: { linkId: number; design: object }[]) => Promise<void>
}

/** The link whose code has a design. */
export interface LinkOfDesign {
  code: string
  origin: string
  /** The pointer of the design in the request; `/design` when absent. */
  at?: string
}

/** The codes that are to have one design. */
export interface CodesOfDesign {
  codes: string[]
  origin: string
}

/** Who waits for codes to be drawn. */
export interface Drawer {
  holder: Holder
  /** Called when they wait for a thread. */
  onQueued?: (() => void) | undefined
  /** Aborts when they wait no longer. */
  signal?: AbortSignal | undefined
}

declare const checked: unique symbol

/** A design that may be saved for a link: it can be scanned, or it is the link's own. Only `checkDesign` and `checkDesigns` return one. */
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
  /** By which it was read, and which must still work when it is changed. */
  credential: Credential
}
