/**
 * Gathers questions about single links while one is under way, and then asks them all as one. Equal ones are asked once.
 * Whoever asks is answered by a question that is put after they have asked.
 * @param ask answers in the order of the links
 */
export function createBatch<T>(ask: (linkIds: number[]) => Promise<T[]>): (linkId: number) => Promise<T> {
  let gathering: { places: Map<number, number>; answers: Promise<T[]> } | undefined
  let running: Promise<unknown> = Promise.resolve()

  function begin() {
    const places = new Map<number, number>()
    const answers = running.then(() => {
      gathering = undefined
      return ask([...places.keys()])
    })
    running = answers.catch(() => undefined)
    return { places, answers }
  }

  return async (linkId) => {
    const { places, answers } = (gathering ??= begin())
    const place = places.get(linkId) ?? places.size
    places.set(linkId, place)
    // There is one for every place.
    return (await answers)[place] as T
  }
}
