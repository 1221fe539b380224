import type { Transaction } from '#kysely'
import type { Tables } from '../db/schema.ts'
import { Problem } from '../http/problem.ts'
import type { Holder } from '../lib/holder.ts'
import { countWaiting, deleteDomain, findOldestWaiting, type Registrant, type Waiting } from './store.ts'

/**
 * The most names that do not lead here of one network (an IPv4 /24, an IPv6 /32): each is stored for days and checked each hour, and
 * one stranger would have 400,000.
 */
export const MAX_WAITING = 1000

/** What is stored of from where a name is registered. @param digestOf makes what leads to no address */
export function registrantOf({ allocation, network, client }: Holder, digestOf: (text: string) => string): Registrant {
  return { allocation: digestOf(allocation), network: digestOf(network), client: digestOf(client) }
}

/**
 * Has a name of whoever has most give way to one that was just inserted, when its network has more than it may.
 * @returns the name that was deleted, if any
 * @throws {Problem} 409 when nobody has more than who has registered it
 */
export async function giveWay(transaction: Transaction<Tables>, from: Registrant): Promise<string | undefined> {
  const waiting = await countWaiting(transaction, from.allocation)
  if (sumOf(waiting) <= MAX_WAITING) return undefined
  const network = largest(waiting, 'network', from)
  const client = largest(
    waiting.filter((each) => each.network === network),
    'client',
    from,
  )
  const name = client === from.client ? undefined : await findOldestWaiting(transaction, { ...from, network, client })
  if (name === undefined) throw tooMany()
  await deleteDomain(transaction, name)
  return name
}

function sumOf(waiting: Waiting[]): number {
  return waiting.reduce((sum, { count }) => sum + count, 0)
}

/** Who has most; of several, the one that asks. */
function largest(waiting: Waiting[], by: 'network' | 'client', from: Registrant): string {
  const counts = new Map<string, number>()
  for (const each of waiting) counts.set(each[by], (counts.get(each[by]) ?? 0) + each.count)
  const most = Math.max(...counts.values())
  if (counts.get(from[by]) === most) return from[by]
  return [...counts.keys()].find((each) => counts.get(each) === most) ?? from[by]
}

function tooMany(): Problem {
  const detail = `${MAX_WAITING} names that were registered from your network do not lead here, and nobody there has more of them than you: set their DNS records, remove some, or wait until they expire`
  return new Problem('too_many_waiting', detail)
}
