import type { IncomingMessage } from 'node:http'
import { preferredLanguage } from '../links/rules/language.ts'
import type { CompiledRules, MetRule, VisitFacts } from '../links/rules/compile.ts'
import { shareOf } from '../links/rules/share.ts'
import type { Scan } from '../scans/scan.ts'
import type { Scans } from '../scans/open.ts'
import type { LiveLink } from './live-link.ts'

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
  /** Undefined when the number of scans, on which a rule depends, must be loaded first. */
  ifLoaded: (request: IncomingMessage, live: RuledLink) => Decision | undefined
  /** Loads that number. */
  load: (live: RuledLink) => Promise<void>
  /** Decides in any case. When the number could not be loaded in time, no rule with `after_scans` is met. */
  now: (request: IncomingMessage, live: RuledLink) => Decision
  /** Keeps a decision for the next call with this request, which another handler makes. */
  keep: (request: IncomingMessage, live: RuledLink, decision: Decision) => void
}

export function hasRules(live: LiveLink): live is RuledLink {
  return live.rules !== null
}

export function createDecide(scans: Pick<Scans, 'describe' | 'identify' | 'people'>): Decide {
  const { describe, identify, people } = scans
  const kept = new WeakMap<IncomingMessage, { live: LiveLink; decision: Decision }>()

  function now(request: IncomingMessage, { id, rules }: RuledLink): Decision {
    const scan = describe(request, id)
    const met = rules().find(factsOf(request, scan))
    return { met, scan: met === undefined ? scan : { ...scan, answer: met.number } }
  }

  function factsOf(request: IncomingMessage, scan: Scan): VisitFacts {
    const { linkId, at, device, os, country, source } = scan
    const visitor = once(() => identify(request, scan))
    return {
      at,
      device,
      os,
      country,
      source,
      language: once(() => preferredLanguage(request.headers['accept-language'])),
      share: (draw) => shareOf(visitor(), draw),
      people: () => people.of(linkId) ?? 0,
    }
  }

  return {
    ifLoaded(request, live) {
      const known = kept.get(request)
      if (known?.live === live) return known.decision
      if (live.rules().countPeople && !people.isCurrent(live.id)) return undefined
      return now(request, live)
    },
    load: ({ id }) => people.load(id),
    now,
    keep(request, live, decision) {
      // Other visits may be recorded before the next call.
      if (!live.rules().countPeople) kept.set(request, { live, decision })
    },
  }
}

/** Computes a value when it is first needed. */
function once<T>(compute: () => T): () => T {
  let result: { value: T } | undefined
  return () => (result ??= { value: compute() }).value
}
