/** The limit of the container or of the unit, in bytes; null when there is none. */
export function memoryLimit(): number | null {
  const limit = process.constrainedMemory()
  // Without a limit, the kernel answers with a number that no machine has.
  return limit === 0 || limit >= 2 ** 60 ? null : limit
}
