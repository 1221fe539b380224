import { plainText } from './cells.ts'
import { defineDimension } from './dimension.ts'

/** The answer of scans that no rule has answered, as statistics and exports write it. */
const LINK_ITSELF = 'link'
const MAX_RULE = 20

/** The number of the rule that answered the visit, from 1; null when the link itself did. It is known after the scan is described. */
export const answer = defineDimension({
  ...plainText,
  name: 'answer',
  read: (): number | null => null,
  text: (rule) => (rule === null ? null : String(rule)),
  isOpen: false,
  rest: LINK_ITSELF,
  // All: a link has at most 20 rules, and itself.
  top: MAX_RULE + 1,
  parse(column, cell) {
    if (/^[1-9]\d?$/.test(cell) && Number(cell) <= MAX_RULE) return Number(cell)
    throw new Error(`${column} must be the number of a rule, 1 to ${MAX_RULE}`)
  },
  filter: {
    form: {
      schema: { pattern: '^(?:link|[1-9]|1[0-9]|20)$' },
      rule: `must be the number of a rule, 1 to ${MAX_RULE}, or link`,
    },
    example: LINK_ITSELF,
  },
  condition: undefined,
  panel: 9,
  words: {
    en: {
      heading: 'Rules',
      value: ({ value }) => (value === LINK_ITSELF ? 'No rule: the destination' : `Rule ${value}`),
    },
    de: {
      heading: 'Regeln',
      value: ({ value }) => (value === LINK_ITSELF ? 'Keine Regel: das Ziel' : `Regel ${value}`),
    },
  },
})
