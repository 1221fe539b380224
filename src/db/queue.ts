/** Lets one after the other in, in the order in which they came; each calls what it got to let the next one in. */
export function createQueue(): () => Promise<() => void> {
  let last = Promise.resolve()
  return async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const before = last
    last = promise
    await before
    return resolve
  }
}
