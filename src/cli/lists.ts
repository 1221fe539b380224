import type { ListsResult } from '../abuse/operator.ts'
import type { Command } from './command.ts'
import { formatTable, formatTime } from './table.ts'

export const lists: Command = {
  name: 'lists',
  usage: '',
  summary: 'show the state of the lists of ABUSE_FEEDS',
  options: {
    refresh: { type: 'boolean', doc: 'download all lists now' },
    accept: { type: 'boolean', doc: 'likewise, and accept lists that shrank by half' },
  },
  async run({ call, flags }) {
    const input = { refresh: flags['refresh'] === true, accept: flags['accept'] === true }
    const { lists: found, own, sweeping } = (await call('lists', input)) as ListsResult
    if (found.length === 0) return 'there are no lists: ABUSE_FEEDS names none'
    const rows = found.map(({ name, isRecommended, format, entries, ignored, takenAt, fault }) => [
      isRecommended ? `${name} (recommended)` : name,
      format ?? '-',
      String(entries ?? '-'),
      String(ignored ?? '-'),
      takenAt === undefined ? 'never' : formatTime(takenAt),
      fault ?? 'good',
    ])
    const header = ['LIST', 'FORMAT', 'ENTRIES', 'SKIPPED', 'UPDATED (UTC)', 'STATE']
    const named =
      own === null ? '' : `\n\n${own.list} names ${own.host}, which is this service: no link is blocked for that`
    return formatTable([header, ...rows]) + named + (sweeping ? '\n\nall links are being screened again' : '')
  },
}
