import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A tick of the kernel (proc(5)) in microseconds. */
const TICK = 10_000

/** User and system time of a process so far, of all its threads, in microseconds. */
export function processorTime(pid: number): number {
  const fields = statOf(`/proc/${pid}`)
  return ticks(fields, [11, 12])
}

/** The same of its main thread. */
export function mainThreadTime(pid: number): number {
  return ticks(statOf(`/proc/${pid}/task/${pid}`), [11, 12])
}

/** The same of the threads with a name, which are still there. */
export function threadsTime(pid: number, name: string): number {
  const folder = `/proc/${pid}/task`
  const threads = readdirSync(folder).filter((id) => readFileSync(join(folder, id, 'comm'), 'utf8').trim() === name)
  return threads.reduce((sum, id) => sum + ticks(statOf(join(folder, id)), [11, 12]), 0)
}

/** The same of a process, its children, and those that have ended. */
export function familyTime(pid: number): number {
  const children = readdirSync('/proc').filter((id) => /^\d+$/.test(id) && parentOf(id) === pid)
  const own = ticks(statOf(`/proc/${pid}`), [11, 12, 13, 14])
  return children.reduce((sum, id) => sum + processorTime(Number(id)), own)
}

/** The same of those of its children that have ended. */
export function endedTime(pid: number): number {
  return ticks(statOf(`/proc/${pid}`), [13, 14])
}

/** The most memory that a process has had resident, in MiB. */
export function highestMemory(pid: number): number {
  return memoryOf(pid, /^VmHWM:\s+(\d+) kB$/m)
}

/** The memory that it has resident now, in MiB. */
export function residentMemory(pid: number): number {
  return memoryOf(pid, /^VmRSS:\s+(\d+) kB$/m)
}

function memoryOf(pid: number, line: RegExp): number {
  return Number(line.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
}

function parentOf(id: string): number | undefined {
  try {
    return Number(statOf(`/proc/${id}`)[1])
  } catch {
    // It has ended.
    return undefined
  }
}

/** The fields behind the name, which may have spaces: the state is the first. */
function statOf(folder: string): string[] {
  const stat = readFileSync(join(folder, 'stat'), 'utf8')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

function ticks(fields: string[], places: number[]): number {
  return places.reduce((sum, place) => sum + Number(fields[place]) * TICK, 0)
}
