import { StartError } from '../lib/start-error.ts'
import type { PlacesResponse } from '../places/operator.ts'
import type { Command } from './command.ts'
import { minuteOf, oneLine, table } from './table.ts'

export const places: Command = {
  name: 'places',
  usage: '[address]',
  summary:
    'say where countries and cities come from, and how old that is; or where an address is, without recording it',
  options: { refresh: { type: 'boolean', doc: 'ask for all sources now' } },
  async run({ ask, words, flags }) {
    const [address, ...more] = words
    if (more.length > 0) throw new StartError('name one address')
    const input = { ...(address !== undefined && { address }), refresh: flags['refresh'] === true }
    const { sources, place } = (await ask('places', input)) as PlacesResponse
    if (place !== undefined) {
      return `country ${place.country ?? 'unknown'}, city ${place.city === null ? 'unknown' : oneLine(place.city)}`
    }
    if (sources.length === 0) return 'GEOIP_DB=off: no country and no city is known'
    const rows = sources.flatMap(({ name, fault, taken_at: taken, files }) => {
      const state = oneLine(fault ?? (files.length > 0 ? 'good' : 'not read yet'))
      const at = taken === null ? '-' : minuteOf(taken)
      if (files.length === 0) return [[name, '-', '-', '-', at, state]]
      return files.map(({ type, built_at: built, size }) => [
        name,
        oneLine(type),
        minuteOf(built).slice(0, 10),
        `${(size / 1e6).toFixed(1)} MB`,
        at,
        state,
      ])
    })
    return table([['SOURCE', 'DATA', 'BUILT', 'SIZE', 'TAKEN (UTC)', 'STATE'], ...rows])
  },
}
