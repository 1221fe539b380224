import type { FastifyRequest } from 'fastify'
import type { ClientAddress } from '../http/client-address.ts'
import { samplesBy, type AnyMetric } from '../http/metric.ts'
import { createAdmission, type Admission, type AdmissionOptions } from './admission.ts'
import type { Counters } from './counter.ts'
import { createFairUse, limitNames, type FairUse, type Quotas } from './limits.ts'
import { createGuesses, type ChargeGuess, type GuessQuotas } from './guesses.ts'
import { createSlots, slotKinds, type SlotOverrides, type Slots } from './slots.ts'
import type { Holder } from '../lib/holder.ts'
import { createRenderTurns, type RenderTurns } from '../lib/render-turns.ts'
import { createTurns, type TurnBounds, type Turns } from '../lib/turns.ts'
import { whileConnected } from '../http/client-disconnect.ts'
import { Problem } from '../http/problem.ts'

/**
 * One at a time: hashing a password takes a core for a quarter of a second, and one of the four threads of libuv's pool,
 * which also sync the disk. The last of those that wait starts after four seconds.
 */
const passwordBounds: TurnBounds = { waiting: 16, concurrent: 1 }

/** When all who wait now have been served. */
const PASSWORD_RETRY_SECONDS = 5

/** Keeps clients from using up what others need: hourly quotas, concurrent requests, and time of the event loop. */
export interface Limits extends FairUse {
  /** For long requests. */
  slots: Slots
  admission: Admission
  chargeGuess: ChargeGuess
  /** For the hashing of passwords. */
  passwordTurn: Turns['run']
  /**
   * Resolves when a page may be rendered for a request, or the next part of a long list be read: one in each iteration of the event loop.
   * @throws {Problem} when its client has disconnected until then
   */
  turnToRender: (request: Pick<FastifyRequest, 'raw'>) => Promise<void>
  /** Whether whoever asks now has the turn at once. */
  isTurnFree: () => boolean
  metrics: AnyMetric[]
  close: () => Promise<void>
}

/** What the limits need from the rest of the program. */
export interface LimitsNeeds {
  quotas: Quotas
  guesses: GuessQuotas
  counters: Counters
  client: Pick<ClientAddress, 'of'>
  monotonic: () => number
  /** Called before each slice of work: answers visits, which must not wait for it. */
  beforeSlice: () => void
  /** Replace the default bounds. */
  slots?: SlotOverrides | undefined
  work?: AdmissionOptions['bounds']
  queueMs?: number | undefined
}

/** Everything that a client can use up: its quotas, the slots, and the queue of passwords. */
const limits = [...limitNames, 'guesses', 'link_guesses', ...slotKinds, 'passwords'] as const

function limitMetrics(refused: Record<string, number>, waiting: () => number): AnyMetric[] {
  return [
    {
      name: 'quirl_requests_limited_total',
      help: 'Requests refused because a client, or all of them, had used up a limit',
      type: 'counter',
      samples: () => samplesBy('limit', refused),
    },
    {
      name: 'quirl_passwords_queued',
      help: 'Passwords that wait to be hashed',
      type: 'gauge',
      read: waiting,
    },
  ]
}

export function openLimits(needs: LimitsNeeds): Limits {
  const { quotas, guesses, counters, client, monotonic, beforeSlice, slots, work, queueMs } = needs
  const refused = Object.fromEntries(limits.map((name) => [name, 0])) as Record<(typeof limits)[number], number>
  const onRefusal = (name: keyof typeof refused) => void refused[name]++
  const passwords = createTurns(
    passwordBounds,
    () => {
      onRefusal('passwords')
      return tooManyPasswords()
    },
    monotonic,
  )
  const fairUse = createFairUse(quotas, counters, client, monotonic, onRefusal)
  const renderTurns = createRenderTurns()
  return {
    ...fairUse,
    slots: createSlots(client, slots, onRefusal),
    admission: createAdmission({ monotonic, beforeSlice, bounds: work, maxWaitMs: queueMs }),
    chargeGuess: createGuesses(guesses, counters, client, monotonic, onRefusal),
    passwordTurn: passwords.run,
    turnToRender: (request) =>
      whileConnected(request, (signal) => turnOf(renderTurns, fairUse.holderOf(request), signal)),
    isTurnFree: renderTurns.isFree,
    metrics: [...counters.metrics, ...limitMetrics(refused, passwords.waiting)],
    close: counters.close,
  }
}

/** @throws the reason of the signal when it aborts before the turn has come */
function turnOf({ wait }: RenderTurns, holder: Holder, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  return new Promise((resolve, reject) => {
    const leave = wait(holder, resolve)
    signal.addEventListener('abort', () => {
      leave()
      reject(signal.reason as Error)
    })
  })
}

function tooManyPasswords(): Problem {
  const headers = { 'retry-after': String(PASSWORD_RETRY_SECONDS) }
  return new Problem('unavailable', 'too many passwords are being checked, try again in a moment', { headers })
}
