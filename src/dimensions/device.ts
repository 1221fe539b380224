import { deviceNames } from '../lib/agent-tables.ts'
import { ownValue } from '../lib/own-value.ts'
import { plainText, TOP } from './cells.ts'
import { defineDimension } from './dimension.ts'

const en = {
  mobile: 'Phone',
  tablet: 'Tablet',
  desktop: 'Computer',
  tv: 'TV',
  console: 'Game console',
  wearable: 'Watch',
  other: 'Other device',
}
const de: typeof en = {
  mobile: 'Handy',
  tablet: 'Tablet',
  desktop: 'Computer',
  tv: 'Fernseher',
  console: 'Spielkonsole',
  wearable: 'Uhr',
  other: 'Anderes Gerät',
}

export const device = defineDimension({
  ...plainText,
  name: 'device',
  read: ({ agent }) => agent.device,
  isOpen: false,
  top: TOP,
  filter: { example: 'mobile' },
  condition: { description: 'Kinds of device, named as in the statistics.', names: deviceNames },
  panel: 3,
  words: {
    en: { heading: 'Devices', value: ({ value }) => ownValue(en, value) },
    de: { heading: 'Geräte', value: ({ value }) => ownValue(de, value) },
  },
})
