import type { IncomingMessage } from 'node:http'
import { preferredLanguage } from '../links/rules/language.ts'
import type { CompiledRules, MetRule, VisitFacts } from '../links/rules/compile.ts'
import { shareOf } from '../links/rules/share.ts'
import type { Scan } from '../scans/scan.ts'
import type { Scans } from '../scans/open.ts'
import type { LiveLink, Reread } from './live-link.ts'

/** A link with rules. */
export interface RuledLink extends LiveLink {
  rules: () => CompiledRules
}

/** Which rule answers a visit; undefined when the link itself does. */
export interface Decision {
  met: MetRule | undefined
  /** The scan to record. */
  scan: Scan
}

/**
 * Decides visits of links with rules, by what their scans are described with. The caller records the scan of a decision
 * in the same turn, before any other visit is decided: the next decision may depend on it.
 */
export interface Decide {
  /** Undefined when the number of scans or people, on which a rule depends, must be loaded first. */
  ifLoaded: (request: IncomingMessage, live: RuledLink) => Decision | undefined
  /**
   * Decides once that number is loaded, and calls `use` with the decision in the same turn. When it could not be loaded in
   * time, no rule is met that depends on it.
   * @param reread reads the link once more, as nothing of it is kept meanwhile
   */
  onceLoaded: <T>(
    request: IncomingMessage,
    numbers: Numbers,
    reread: Reread,
    use: (decision: Decision, live: LiveLink) => T | Promise<T>,
  ) => Promise<T>
}

/** The numbers on which rules of a link depend. */
interface Numbers {
  id: number
  ofScans: boolean
  ofVisitors: boolean
}

export function numbersOf({ id, rules }: RuledLink): Numbers {
  const { countHumanScans, countVisitors } = rules()
  return { id, ofScans: countHumanScans, ofVisitors: countVisitors }
}

export function hasRules(live: LiveLink): live is RuledLink {
  return live.rules !== null
}

/** What decisions need of the scans. */
type DecideNeeds = Pick<Scans, 'describe' | 'identify' | 'humanScans' | 'visitors' | 'loadNumbers' | 'patience'>

export function createDecide(scans: DecideNeeds): Decide {
  function ifLoaded(request: IncomingMessage, live: LiveLink): Decision | undefined {
    // Its owner may have taken the rules away.
    if (!hasRules(live)) return now(request, live)
    if (live.rules().countHumanScans && !scans.humanScans.isCurrent(live.id)) return undefined
    let isKnown = true
    const decision = decide(scans, request, live, () => (isKnown = false))
    return isKnown ? decision : undefined
  }

  function now(request: IncomingMessage, live: LiveLink): Decision {
    if (hasRules(live)) return decide(scans, request, live, () => {})
    return { met: undefined, scan: scans.describe(request, live) }
  }

  return {
    ifLoaded,
    async onceLoaded(request, numbers, reread, use) {
      const mayWait = scans.patience()
      for (;;) {
        const isLast = !(mayWait() && (await load(scans, numbers)))
        // Of visits that wait near a number of people, one may make the others wait for another fold. A variable would keep the link.
        const used = await reread().then((live) => {
          const decision = isLast ? now(request, live) : ifLoaded(request, live)
          return decision && { result: use(decision, live) }
        })
        if (used !== undefined) return used.result
      }
    },
  }
}

/** @param onUnknown called when it depends on a number of people that is not known exactly; then it is taken to be the least */
function decide(scans: DecideNeeds, request: IncomingMessage, live: RuledLink, onUnknown: () => void): Decision {
  const scan = scans.describe(request, live)
  const met = live.rules().find(factsOf(scans, request, scan, onUnknown))
  return { met, scan: met === undefined ? scan : { ...scan, answer: met.number } }
}

function factsOf(
  { identify, humanScans, visitors }: DecideNeeds,
  request: IncomingMessage,
  scan: Scan,
  onUnknown: () => void,
): VisitFacts {
  const { linkId } = scan
  const visitor = once(() => identify(request, scan))
  return {
    ...scan,
    language: once(() => preferredLanguage(request.headers['accept-language'])),
    share: (draw) => shareOf(visitor(), draw),
    humanScans: () => humanScans.of(linkId) ?? 0,
    hasVisitors(number) {
      const has = visitors.has(linkId, number)
      if (has === undefined) onUnknown()
      return has ?? visitors.least(linkId) >= number
    },
  }
}

/** Loads the numbers of a link. @returns whether they could be read in time */
function load(
  { humanScans, visitors, loadNumbers }: DecideNeeds,
  { id, ofScans, ofVisitors }: Numbers,
): Promise<boolean> {
  if (ofScans) humanScans.request(id)
  if (ofVisitors) visitors.request(id)
  return loadNumbers(id)
}

/** Computes a value when it is first needed. */
function once<T>(compute: () => T): () => T {
  let result: { value: T } | undefined
  return () => (result ??= { value: compute() }).value
}
