/**
 * Runs work of one name one after the other, in the order of the calls, and that of different names at the same time.
 * @param work is told whether it has waited for other work: what was read before may be old then
 */
export type InTurn = <T>(name: number | string, work: (hasWaited: boolean) => Promise<T>) => Promise<T>

export function createInTurn(): InTurn {
  const last = new Map<number | string, Promise<unknown>>()
  return async (name, work) => {
    const previous = last.get(name)
    // Never before this call is the last one of the name: the work may call for it again.
    const run = () => work(previous !== undefined)
    const mine = (previous ?? Promise.resolve()).then(run, run)
    last.set(name, mine)
    try {
      return await mine
    } finally {
      if (last.get(name) === mine) last.delete(name)
    }
  }
}

/** Runs work once it is the turn of several names, in one order, so that two of them never wait for each other. */
export function inTurnOfAll<T>(inTurn: InTurn, names: Iterable<number>, work: () => Promise<T>): Promise<T> {
  const ordered = [...new Set(names)].toSorted((a, b) => a - b)
  return ordered.reduceRight<() => Promise<T>>((next, name) => () => inTurn(name, next), work)()
}
