import type { Command } from './command.ts'
import { minuteOf, table } from './table.ts'

interface ListStatus {
  name: string
  format?: string
  entries?: number
  ignored?: number
  takenAt?: number
  fault: string | null
}

export const lists: Command = {
  name: 'lists',
  usage: '',
  summary: 'say what the lists of ABUSE_FEEDS hold, and what is wrong with them',
  options: {
    refresh: { type: 'boolean', doc: 'ask for all of them now' },
    accept: { type: 'boolean', doc: 'likewise, and take over those that shrank by half' },
  },
  async run({ ask, flags }) {
    const input = { refresh: flags['refresh'] === true, accept: flags['accept'] === true }
    const { lists: found, sweeping } = (await ask('lists', input)) as { lists: ListStatus[]; sweeping: boolean }
    if (found.length === 0) return 'no lists are set: ABUSE_FEEDS names files and URLs'
    const rows = found.map(({ name, format, entries, ignored, takenAt, fault }) => [
      name,
      format ?? '-',
      String(entries ?? '-'),
      String(ignored ?? '-'),
      takenAt === undefined ? 'never' : minuteOf(takenAt),
      fault ?? 'good',
    ])
    const header = ['LIST', 'FORMAT', 'ENTRIES', 'LEFT OUT', 'TAKEN (UTC)', 'STATE']
    return table([header, ...rows]) + (sweeping ? '\n\nall links are being matched again' : '')
  },
}
