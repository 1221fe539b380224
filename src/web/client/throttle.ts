/** Calls at once, and then at most once an interval. */
export function throttle(call: () => void, intervalMs: number): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isWanted = false
  function run(): void {
    isWanted = false
    call()
    timer = setTimeout(() => {
      timer = undefined
      if (isWanted) run()
    }, intervalMs)
  }
  return () => {
    if (timer === undefined) run()
    else isWanted = true
  }
}
