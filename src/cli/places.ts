import { StartError } from '../lib/start-error.ts'
import type { PlacesResponse } from '../places/operator.ts'
import type { Command } from './command.ts'
import { formatTime, toSingleLine, formatTable } from './table.ts'

export const places: Command = {
  name: 'places',
  usage: '[address]',
  summary: 'show the sources of countries and cities with their age; or locate an address, without recording it',
  options: { refresh: { type: 'boolean', doc: 'download all sources now' } },
  async run({ call, args, flags }) {
    const [address, ...more] = args
    if (more.length > 0) throw new StartError('give one address')
    const input = { ...(address !== undefined && { address }), refresh: flags['refresh'] === true }
    const { sources, place } = (await call('places', input)) as PlacesResponse
    if (place !== undefined) {
      return `country ${place.country ?? 'unknown'}, city ${place.city === null ? 'unknown' : toSingleLine(place.city)}`
    }
    if (sources.length === 0) return 'GEOIP_DB=off: countries and cities are not determined'
    const rows = sources.flatMap(({ name, fault, taken_at: taken, files }) => {
      const state = toSingleLine(fault ?? (files.length > 0 ? 'good' : 'not loaded yet'))
      const at = taken === null ? '-' : formatTime(taken)
      if (files.length === 0) return [[name, '-', '-', '-', at, state]]
      return files.map(({ type, built_at: built, size }) => [
        name,
        toSingleLine(type),
        formatTime(built).slice(0, 10),
        `${(size / 1e6).toFixed(1)} MB`,
        at,
        state,
      ])
    })
    return formatTable([['SOURCE', 'DATA', 'BUILT', 'SIZE', 'UPDATED (UTC)', 'STATE'], ...rows])
  },
}
