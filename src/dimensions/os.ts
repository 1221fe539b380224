import { systemNames } from '../lib/agent-tables.ts'
import { plainText, TOP } from './cells.ts'
import { defineDimension } from './dimension.ts'

export const os = defineDimension({
  ...plainText,
  name: 'os',
  read: ({ agent }) => agent.os,
  isOpen: false,
  top: TOP,
  filter: { example: 'iOS' },
  condition: { description: 'Operating systems, named as in the statistics.', names: systemNames },
  panel: 7,
  words: { en: { heading: 'Systems' }, de: { heading: 'Systeme' } },
})
