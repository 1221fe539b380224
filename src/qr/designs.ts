import type { Database, Executor } from '../db/database.ts'
import { invalidRequest } from '../http/problem.ts'
import { createValidator } from '../http/validate.ts'
import { designSchema, type Design } from './design/schema.ts'
import type { Images } from './images.ts'
import { deleteDesign, findDesign, putDesign } from './store.ts'

/** The designs that are saved for links. */
export interface Designs {
  of: (linkId: number) => Promise<Design | undefined>
  /**
   * Reads a design from a request, and draws it once to see whether it can be scanned.
   * @param text what its images will say
   * @param client a key of who asks
   * @throws {Problem} 400 with every fault that was found, or for an image that cannot be read
   */
  check: (value: unknown, text: string, client: string) => Promise<Design>
  /** Saves a design, or none, as part of a transaction. */
  save: (db: Executor, linkId: number, design: Design | null) => Promise<void>
}

const validate = createValidator(designSchema)

export function createDesigns(db: Database, images: Images): Designs {
  return {
    async of(linkId) {
      const design = await findDesign(db.read, linkId)
      return design === undefined ? undefined : (JSON.parse(design) as Design)
    },
    async check(value, text, client) {
      const errors = validate(value).map(({ pointer, detail }) => ({ pointer: `/design${pointer}`, detail }))
      if (errors.length > 0) throw invalidRequest(errors)
      const design = value as Design
      await images.designed({ text, design, at: '/design', format: 'svg', size: 1024 }, { client })
      return design
    },
    save: (db, linkId, design) =>
      design === null ? deleteDesign(db, linkId) : putDesign(db, linkId, JSON.stringify(design)),
  }
}
