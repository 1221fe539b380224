import { availableParallelism, cpus, release } from 'node:os'

/** What a table of figures must say about where they come from. */
export function describeMachine(): string {
  const date = new Date().toISOString().slice(0, 10)
  const { model = 'unknown processor' } = cpus()[0] ?? {}
  return `${date}, ${model.trim()}, ${availableParallelism()} cores, Linux ${release()}, Node ${process.versions.node}`
}
