import type { Visited } from '../links/visited.ts'

/** The bytes of compiled rules: of the list, and at most for each character of their JSON. */
const [RULES_BYTES, RULE_CHARACTER_BYTES] = [800, 10]

/** The same of placements: a map of ids. */
const [PLACEMENTS_BYTES, PLACEMENT_CHARACTER_BYTES] = [200, 6]

/** Estimates the bytes of a cached link: its objects and maps, and its texts once as stored and once as prepared. */
export function weigh({ target, payload, utm, rules, placements, password }: Visited): number {
  const bytes = 1200 + 2 * ((target?.length ?? 0) + payload.length + utm.length + (password?.length ?? 0))
  const more = rules === null ? 0 : RULES_BYTES + RULE_CHARACTER_BYTES * rules.length
  return bytes + more + (placements === null ? 0 : PLACEMENTS_BYTES + PLACEMENT_CHARACTER_BYTES * placements.length)
}
