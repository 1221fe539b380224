/** The lost connections to one server, which several pools may share. */
export interface Losses {
  /** How many there have been. */
  count: () => number
  record: () => void
  /**
   * Settles as `statement` does; rejects when it has no answer a while after another connection was lost: when the network
   * was cut, a statement that may run for long would be waited for until then.
   * @throws {StatementAbandoned}
   */
  guard: <T>(statement: Promise<T>) => Promise<T>
}

/** The connection of the statement is taken for lost, because another one was. */
export class StatementAbandoned extends Error {}

/** @param graceMs how long a statement may go on without an answer after a loss; without end by default */
export function createLosses(graceMs?: number): Losses {
  let count = 0
  const running = new Set<() => void>()

  return {
    count: () => count,
    record() {
      count++
      for (const onLoss of running) onLoss()
    },
    guard: (statement) =>
      new Promise((resolve, reject) => {
        let timer: NodeJS.Timeout | undefined
        const abandon = () => reject(new StatementAbandoned('no answer since another connection was lost'))
        const onLoss = () => {
          if (graceMs !== undefined) timer ??= setTimeout(abandon, graceMs)
        }
        const end = () => {
          running.delete(onLoss)
          clearTimeout(timer)
        }
        running.add(onLoss)
        statement.finally(end).then(resolve, reject)
      }),
  }
}
