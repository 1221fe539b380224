import type { Visited } from '../links/visited.ts'

/** The bytes of compiled rules: of the list, and at most for each character of their JSON. */
const [RULES_BYTES, RULE_CHARACTER_BYTES] = [800, 10]

/** Estimates the bytes of a cached link: its objects and maps, and its texts once as stored and once as prepared. */
export function weigh({ target, payload, utm, rules, password }: Visited): number {
  const bytes = 1200 + 2 * ((target?.length ?? 0) + payload.length + utm.length + (password?.length ?? 0))
  return rules === null ? bytes : bytes + RULES_BYTES + RULE_CHARACTER_BYTES * rules.length
}
