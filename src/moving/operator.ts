import { randomUUID } from 'node:crypto'
import type { OperatorOperations } from '../operator/socket.ts'
import { Problem } from '../http/problem.ts'
import { ownValue } from '../lib/own-value.ts'
import { HOLD_MS } from './hold.ts'

/** What a move holds. Each resolves, when nothing of the kind is under way, with what ends the hold. */
export interface Holdable {
  /** Folds what was recorded, and leaves the scans as they are from then on. */
  scans: () => Promise<() => void>
  /** Refuses changes of the store. Undefined when it is not in the folder of the service. */
  changes: (() => Promise<() => void>) | undefined
}

interface Hold {
  token: string
  ends: (() => void)[]
  timer: NodeJS.Timeout
}

/** The operation by which `quirl migrate` holds a running service while it copies the rest. */
export function movingOperations(holdable: Holdable): OperatorOperations {
  const steps = createSteps(holdable)
  return {
    async move({ step, token }) {
      const run = typeof step === 'string' ? ownValue(steps, step) : undefined
      if (run === undefined) throw new Problem('invalid_request', 'there is no such step of a move')
      return { token: (await run(token))?.token ?? null }
    },
  }
}

type Step = (token: unknown) => Promise<Hold | undefined>

function createSteps({ scans, changes }: Holdable): Record<string, Step> {
  const holds = createHolds()
  return {
    async scans() {
      const hold = holds.begin()
      await holds.extend(hold, scans)
      return hold
    },
    async changes(token) {
      if (changes === undefined) throw new Problem('unavailable', 'the service has its links in PostgreSQL')
      await holds.extend(holds.current(token), changes)
      return holds.current(token)
    },
    renew: async (token) => holds.renew(token),
    finish: async (token) => holds.finish(token),
    async release(token) {
      holds.release(token)
      return undefined
    },
  }
}

/** There is one hold at a time. */
function createHolds() {
  let hold: Hold | undefined
  let isFinished = false

  function end(): void {
    clearTimeout(hold?.timer)
    for (const endOne of hold?.ends.toReversed() ?? []) endOne()
    hold = undefined
  }

  function current(token: unknown): Hold {
    if (hold !== undefined && hold.token === token) return hold
    throw new Problem('unavailable', 'the service has not waited for this move: run the command again')
  }

  return {
    current,
    begin(): Hold {
      // One that a killed command has left; a finished one holds everything already.
      if (!isFinished) end()
      return (hold ??= { token: randomUUID(), ends: [], timer: setTimeout(end, HOLD_MS).unref() })
    },
    async extend(mine: Hold, work: () => Promise<() => void>): Promise<void> {
      const endOne = await work()
      if (hold === mine) mine.ends.push(endOne)
      else endOne()
    },
    renew(token: unknown): Hold {
      const mine = current(token)
      clearTimeout(mine.timer)
      if (!isFinished) mine.timer = setTimeout(end, HOLD_MS).unref()
      return mine
    },
    /** From here on the hold lasts until the service ends. */
    finish(token: unknown): Hold {
      const mine = current(token)
      clearTimeout(mine.timer)
      isFinished = true
      return mine
    },
    release(token: unknown): void {
      if (!isFinished && hold?.token === token) end()
    },
  }
}
