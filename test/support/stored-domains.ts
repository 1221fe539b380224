import type { Database } from '../../src/db/database.ts'
import type { Domain } from '../../src/domains/domain.ts'
import { deleteDomain, insertDomain } from '../../src/domains/store.ts'

/** When these domains were registered. */
export const REGISTERED_AT = Date.UTC(2026, 10, 21)

/** A domain as the store has it: pending, never checked. */
export const domain = (name: string, more: Partial<Domain> = {}): Domain => ({
  name,
  registrable: 'example.com',
  tokenHash: `hash of ${name}`,
  status: 'pending',
  statusSince: REGISTERED_AT,
  createdAt: REGISTERED_AT,
  updatedAt: REGISTERED_AT,
  checkedAt: undefined,
  nextCheckAt: REGISTERED_AT,
  failures: 0,
  failingSince: undefined,
  fault: undefined,
  claimedAt: undefined,
  proofWanted: false,
  ...more,
})

/** Removes a name. */
export async function removeStored(db: Database, name: string): Promise<void> {
  await deleteDomain(db.write, name)
}

/** Stores a name that DNS has proven to be somebody's. */
export async function storeProven(db: Database, name: string): Promise<void> {
  await insertDomain(db.write, domain(name, { status: 'active', claimedAt: REGISTERED_AT }))
}

/** Stores a name whose DNS leads here. */
export async function storeActive(db: Database, name: string, registrable: string): Promise<void> {
  await insertDomain(db.write, domain(name, { status: 'active', registrable }))
}

/** Stores a name that was registered from a network. */
export async function storeRegistered(db: Database, name: string, allocation: string): Promise<void> {
  await insertDomain(db.write, domain(name), { allocation, network: allocation, client: allocation })
}
