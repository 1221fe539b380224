/**
 * Batches loads of single links: while one load runs, further links collect for the next, each once. A load that serves a
 * caller always starts after the call.
 * @param load resolves with the values in the order of the links
 */
export function createBatcher<T>(load: (linkIds: number[]) => Promise<T[]>): (linkId: number) => Promise<T> {
  let pending: { positions: Map<number, number>; values: Promise<T[]> } | undefined
  let running: Promise<unknown> = Promise.resolve()

  function startBatch() {
    const positions = new Map<number, number>()
    const values = running.then(() => {
      pending = undefined
      return load([...positions.keys()])
    })
    running = values.catch(() => undefined)
    return { positions, values }
  }

  return async (linkId) => {
    const { positions, values } = (pending ??= startBatch())
    const position = positions.get(linkId) ?? positions.size
    positions.set(linkId, position)
    // The load returns one value for each position.
    return (await values)[position] as T
  }
}
