import type { Database } from '../db/database.ts'
import type { Lease } from '../db/lease.ts'
import { findNewlyQueued, takeIn } from './collection-store.ts'
import { isLocked } from './outbox-store.ts'
import type { Outbox } from './outbox.ts'

/** Collections whose events are taken in in one transaction, and in how many, before events are sent. */
const TAKEN_AT_ONCE = 16
const TAKEN_PARTS = 4

interface TakeInDeps {
  db: Database
  now: () => number
  outbox: Outbox
}

/**
 * Takes in what changes of links have queued for collections: of some at a time, so that what else is to be recorded waits for few, and of
 * one after the other, so that those whose links change all the time come before no other. What is queued for a webhook that another
 * transaction has locked, as one that sets it for thousands of links, stays new, and is taken in at the next look.
 */
export function createTakeIn({ db, now, outbox }: TakeInDeps, lease: Lease): () => Promise<void> {
  let last = ''

  async function takeInAll(collections: string[]): Promise<void> {
    const dropped = await lease.commit(async (transaction) => {
      let count = 0
      for (const id of collections) {
        if (await isLocked(transaction, db.unlocked, { kind: 'collection', id })) continue
        count += await takeIn(transaction, id, now(), outbox.hasMost)
      }
      return count
    })
    outbox.noteDropped(dropped)
  }

  return async () => {
    for (let parts = 0; parts < TAKEN_PARTS; parts++) {
      const from = last
      const collections = await findNewlyQueued(db.read, TAKEN_AT_ONCE, from)
      const isEnd = collections.length < TAKEN_AT_ONCE
      last = isEnd ? '' : (collections.at(-1) ?? '')
      if (collections.length > 0) await takeInAll(collections)
      if (isEnd && from === '') return
    }
  }
}
