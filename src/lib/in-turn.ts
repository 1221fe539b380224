/**
 * Runs work of one name one after the other, in the order of the calls, and that of different names at the same time.
 * @param work is told whether it has waited for other work: what was read before may be old then
 */
export type InTurn = <T>(name: number | string, work: (hasWaited: boolean) => Promise<T>) => Promise<T>

export function createInTurn(): InTurn {
  const last = new Map<number | string, Promise<unknown>>()
  return async (name, work) => {
    const previous = last.get(name)
    const later = () => work(true)
    const mine = previous === undefined ? work(false) : previous.then(later, later)
    last.set(name, mine)
    try {
      return await mine
    } finally {
      if (last.get(name) === mine) last.delete(name)
    }
  }
}
