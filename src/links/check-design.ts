import { isDeepStrictEqual } from 'node:util'
import type { Client } from './client.ts'
import type { LinkDeps } from './deps.ts'
import type { CheckedDesign } from './design.ts'
import { findLooks, lookIn, lookOf } from './looks.ts'

/** What the designs of requests are read with. */
export type DesignDeps = Pick<LinkDeps, 'designs' | 'collecting'>

/**
 * Checks the design of a link in the body of a request; returns undefined when there is none. A new one is drawn, which is
 * charged; the link's own design is not checked again.
 * @param value as the client sent it: a design, `{"look": "<name>"}`, or null
 * @param collection the token of the collection whose looks can be named
 * @throws {Problem} 400 when the design is invalid or cannot be scanned, or no look has the name, 404 for an unknown collection,
 * and what `charge` rejects with
 */
export async function checkDesign(
  { designs, collecting }: DesignDeps,
  { code, design }: { code: string; design: object | undefined },
  value: unknown,
  { origin, holder, charge }: Client,
  collection: string | undefined,
): Promise<CheckedDesign | undefined> {
  if (value === undefined) return undefined
  const name = lookOf(value)
  const chosen = name === undefined ? value : lookIn(await findLooks(collecting, collection, [name]), name)
  if (chosen !== null && !isDeepStrictEqual(chosen, design)) {
    await charge('qr')
    await designs.requireScannable(chosen, { code, origin }, holder)
  }
  return { value: chosen } as CheckedDesign
}
