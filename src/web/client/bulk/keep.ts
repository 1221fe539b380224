import type { CreatedLink } from './state.ts'

/** Stores links in "My links" of this browser; returns whether that worked. */
export type KeepLinks = (links: (CreatedLink & { title: string })[]) => boolean

/** The store of "My links", when the program has one. */
export const keepLinks: KeepLinks | undefined = undefined as KeepLinks | undefined
