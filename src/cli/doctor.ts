import { lookup } from 'node:dns/promises'
import { networkInterfaces } from 'node:os'
import { valuesOf } from '../config/config.ts'
import { StartError } from '../lib/start-error.ts'
import type { Command } from './command.ts'
import { createProgress } from './progress.ts'
import { formatTable, toSingleLine } from './table.ts'

const shown = { ok: 'ok', warning: 'WARNING', fault: 'FAULT' }

export const doctor: Command = {
  name: 'doctor',
  usage: '',
  summary:
    'check folder, disk, clock, address, ports, proxies, servers, backup and more, while quirl runs or not; exits with 1 for a fault',
  acceptsFaults: true,
  options: { json: { type: 'boolean', doc: 'print all details as JSON' } },
  async run({ args, flags, set, call }) {
    if (args.length > 0) throw new StartError(`"quirl doctor" takes no argument, but got "${args[0]}"`)
    const progress = createProgress()
    progress.show('looking …')
    try {
      // Loaded here, because other commands do not need it.
      const { examine } = await import('../doctor/doctor.ts')
      const { servers } = await import('../nodes/doctor/servers.ts')
      const resolve = async (host: string) => (await lookup(host, { all: true })).map(({ address }) => address)
      const world = { lookup: resolve, networkInterfaces, now: Date.now }
      const findings = await examine({ config: valuesOf(set.settings), set, call, world, servers })
      const rows = findings.map(({ check, verdict, text }) => [shown[verdict], check, toSingleLine(text)])
      const isFaulty = findings.some(({ verdict }) => verdict === 'fault')
      const text = flags['json'] === true ? JSON.stringify({ findings }, undefined, 2) : formatTable(rows)
      return { text, status: isFaulty ? 1 : 0 }
    } finally {
      progress.end()
    }
  },
}
