import type { Database } from '../db/database.ts'
import { invalidRequest } from '../http/problem.ts'
import { createValidator } from '../http/validate.ts'
import type { Designs } from '../links/design.ts'
import { designSchema, type Design } from './design/schema.ts'
import type { Images } from './images.ts'
import { deleteDesign, findDesign, putDesign } from './store.ts'

const validate = createValidator(designSchema)

/** @param textOf the text that the QR code of a short link encodes */
export function createDesigns(
  db: Database,
  images: Images,
  textOf: (code: string, origin: string) => string,
): Designs<Design> {
  return {
    async of(linkId) {
      const design = await findDesign(db.read, linkId)
      return design === undefined ? undefined : (JSON.parse(design) as Design)
    },
    async requireScannable(value, { code, origin }, holder) {
      const errors = validate(value).map(({ pointer, detail }) => ({ pointer: `/design${pointer}`, detail }))
      if (errors.length > 0) throw invalidRequest(errors)
      const text = textOf(code, origin)
      await images.designed({ text, design: value as Design, at: '/design', format: 'svg', size: 1024 }, { holder })
    },
    save: (db, linkId, { value }) =>
      value === null ? deleteDesign(db, linkId) : putDesign(db, linkId, JSON.stringify(value)),
  }
}
