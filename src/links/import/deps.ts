import type { LinkDeps } from '../create.ts'
import type { LinkDesigns } from '../design.ts'
import type { HashPassword } from '../password/new-password.ts'

/** What an import needs of the rest of the program. */
export interface ImportDeps extends LinkDeps {
  /** Adds visits that were counted elsewhere, once for each link. */
  addImported: (counts: { linkId: number; at: number; clicks: number }[]) => Promise<void>
  designs: LinkDesigns
  hashPassword: HashPassword
}
