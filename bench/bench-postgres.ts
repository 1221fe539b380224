import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { addressOf, startPostgres, urlOf, type PostgresServer } from '../test/support/postgres.ts'

const DATABASE = 'bench'

/** A PostgreSQL on this machine, with fsync and an empty database. */
export interface BenchPostgres {
  server: PostgresServer
  address: pg.ClientConfig
  /** The argument that has quirl use the database. */
  flag: string
  /** The process whose children serve the connections. */
  pid: number
  /** Moves it to cores (`0`, or `0,1`), with a nice level; connections that are open stay as they are. */
  moveTo: (cores: string, nice?: number) => void
  close: () => Promise<void>
}

/**
 * Linux shares a core among sessions of processes, and each connection of PostgreSQL is a session: on a core that the load kept
 * busy they had 2 % of it, and folds timed out. Services of systemd and containers are in control groups, where this does not apply.
 */
const AUTOGROUP = '/proc/sys/kernel/sched_autogroup_enabled'

export async function startBenchPostgres(): Promise<BenchPostgres> {
  if (existsSync(AUTOGROUP) && readFileSync(AUTOGROUP, 'utf8').trim() !== '0')
    throw new Error('run "sysctl kernel.sched_autogroup_enabled=0" for this measurement, and "…=1" after it')
  const works: (() => Promise<void> | void)[] = []
  const server = await startPostgres({ after: (work) => void works.push(work) }, { settings: ['fsync=on'] })
  await server.execute(`create database ${DATABASE}`)
  const address = addressOf(server, DATABASE)
  const pid = Number(readFileSync(join(server.host, 'pg', 'postmaster.pid'), 'utf8').split('\n')[0])
  return {
    server,
    address,
    flag: `--database-url=${urlOf(address)}`,
    pid,
    moveTo(cores, nice = 0) {
      spawnSync('taskset', ['-cp', cores, String(pid)])
      setPriority(pid, nice)
    },
    async close() {
      for (const work of works.toReversed()) await work()
    },
  }
}

/** The URL of the database behind a port of loopback. */
export const urlBehind = (port: number): string => `postgres://quirl@127.0.0.1:${port}/${DATABASE}`
