import type { Migration } from './migration.ts'

/** A creation may wait for the deletion of a link with its code, and must see the deletion when it goes on. */
export const retiredCodesStay: Migration = {
  name: 'retired-codes-stay',
  onlyAdds: true,
  up: (db, dialect) => dialect.refuseRetiredCodes(db),
}
