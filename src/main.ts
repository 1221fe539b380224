import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { pino, type Logger } from 'pino'
import { createOperatorClient } from './operator/client.ts'
import { CommandError } from './cli/command-error.ts'
import type { CommandResult } from './cli/command.ts'
import { commands, groups } from './cli/commands.ts'
import { commandHelp, helpText } from './cli/help.ts'
import { openOutput, openStandardOutput } from './cli/output.ts'
import { toLines } from './cli/table.ts'
import { readConfig, type Config } from './config/config.ts'
import { stopListening } from './http/drain.ts'
import { listenOnSockets } from './http/listeners.ts'
import { requireOpenFiles } from './http/open-files.ts'
import { lowerV8Priority } from './lib/background-thread.ts'
import { createClosing } from './lib/closing.ts'
import { createLogLines } from './lib/log-lines.ts'
import { lineOf, StartError } from './lib/start-error.ts'
import type { Services } from './services.ts'
import { leaveOnSignal, stopOnSignal, type Others, type StopTimes } from './stop.ts'
import manifest from '../package.json' with { type: 'json' }

/** How long the process waits at its end for the reader of the log. */
const LAST_LINES_MS = 500

/** Connections to PostgreSQL besides those of DATABASE_POOL (docs/scale.md#connections). */
const SHARED_CONNECTIONS = 6

/** The output of the process, and its exit status. */
export interface Outcome extends Pick<CommandResult, 'onUnprinted'> {
  status: number
  stdout: string
  stderr: string
}

/** Ends the line of the start. */
const BASE_URL_UNSET =
  '; BASE_URL is unset: set it to the public address before you print a QR code (docs/first-day.md)'

/** The process: configuration, dependencies, listen, drain. @param stopTimes when they are not the usual ones */
export async function main(args: string[], stopTimes?: StopTimes): Promise<void> {
  const outcome = await outcomeOf(args, stopTimes)
  const unprinted = await print(outcome)
  const stderr = outcome.stderr + (unprinted ?? '')
  if (stderr !== '')
    await openOutput(process.stderr)
      .write(stderr)
      .catch(() => {})
  const status = unprinted === undefined ? outcome.status : outcome.status || 1
  if (status !== 0) process.exitCode = status
}

/** Runs the command line. A started service has printed its output already. */
export async function outcomeOf(args: string[], stopTimes?: StopTimes): Promise<Outcome> {
  try {
    const printed = (await run(args, stopTimes)) ?? ''
    const { text, warning, ...rest } = typeof printed === 'string' ? { text: printed, status: 0 } : printed
    const stderr = warning === undefined ? '' : `quirl: ${toLines(warning)}\n`
    return { ...rest, stdout: text === '' || text.endsWith('\n') ? text : `${text}\n`, stderr }
  } catch (error) {
    const line = lineOf(error)
    if (line === undefined) throw error
    return { status: error instanceof CommandError ? error.status : 1, stdout: '', stderr: `quirl: ${toLines(line)}\n` }
  }
}

/** @returns what to say on standard error when the output cannot be printed */
async function print({ stdout, onUnprinted }: Outcome): Promise<string | undefined> {
  if (stdout === '') return undefined
  try {
    await openStandardOutput().write(stdout)
    return undefined
  } catch (error) {
    const kept = await onUnprinted?.()
    const { code, message } = error as NodeJS.ErrnoException
    // A reader of the output may stop reading, as `head` does: that is no error.
    if (kept === undefined && code === 'EPIPE') return ''
    return `quirl: ${['cannot print: ' + message, kept].filter((each) => each !== undefined).join('; ')}\n`
  }
}

/** Answers what is to be printed, if the work has not printed it. */
async function run(argv: string[], stopTimes: StopTimes | undefined): Promise<string | CommandResult | undefined> {
  const invocation = readConfig(argv, process.env, undefined, commands)
  switch (invocation.run) {
    case 'help':
      return invocation.command === undefined ? helpText(groups) : commandHelp(invocation.command)
    case 'version':
      return manifest.version
    case 'serve':
      return serve(invocation.config, stopTimes)
    case 'command': {
      const { command, args, flags, set, config } = invocation
      const { dataDir, databaseUrl } = config
      const { env } = process
      const { version } = manifest
      return command.run({ args, flags, set, env, dataDir, databaseUrl, version, call: createOperatorClient(dataDir) })
    }
  }
}

async function serve(config: Config, stopTimes: StopTimes | undefined): Promise<undefined> {
  // The data includes private keys of certificates, the day's salt, and the private notes of owners.
  process.umask(0o077)
  requireOpenFiles(config.databaseUrl === undefined ? 0 : config.databasePool + SHARED_CONNECTIONS)
  lowerV8Priority()
  const mayLeave = leaveOnSignal()
  const log = openLog()
  const closing = createClosing((error, name) => log.error({ err: error }, `${name} could not be closed`))
  let port = config.port
  try {
    // Loaded here, because commands do not need them: loading them takes longer than most commands.
    const { openServices } = await import('./services.ts')
    const opening = openServices(config, { version: manifest.version, port: () => port, log })
    // Loads while threads start and the disk syncs.
    const loading = import('./app.ts')
    const [opened] = await Promise.allSettled([opening, loading])
    if (opened.status === 'fulfilled') closing.add('what requests need', opened.value.close)
    const services = await opening
    const { createApp } = await loading
    const app = await createApp(config, services, log)
    closing.add('the server', () => app.close())
    mayLeave.end()
    const others: Others = { close: async () => {} }
    closing.add('the sockets that listen', () => others.close())
    stopOnSignal(app, services, others, log, stopTimes)
    port = await listen(app, services, config, others)
    services.qr.warmUp()
    const addresses = services.origin.reachableAt(config.host).join(', ')
    const shared = config.databaseUrl === undefined ? '' : ', and its links in PostgreSQL'
    const unset = config.baseUrl === undefined ? BASE_URL_UNSET : ''
    process.stdout.write(
      `quirl ${manifest.version} serves ${addresses} and keeps its data in ${config.dataDir}${shared}${unset}\n`,
    )
  } catch (error) {
    await closing.close().catch(() => {})
    throw error
  }
}

/**
 * Logs JSON lines on stderr, one for each fault. Visits and requests are not logged, so that no line has an address or a
 * token. The process does not depend on a reader of stderr or stdout.
 */
function openLog(): Logger {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  // Opening the stream above has made a pipe on stderr non-blocking.
  const lines = createLogLines(process.stderr.fd, {
    onDropped: (dropped) => log.warn({ dropped }, 'the log was not read in time; this many lines were dropped here'),
  })
  const log = pino({ base: null, level: 'warn' }, lines)
  process.on('uncaughtExceptionMonitor', (error) => {
    lines.finish(LAST_LINES_MS)
    log.fatal({ err: error }, 'an unhandled error ends the process')
  })
  process.on('exit', () => lines.finish(LAST_LINES_MS))
  return log
}

/** @param others closes the further sockets of the port */
async function listen(
  app: FastifyInstance,
  { tls, connections, onDrain }: Services,
  config: Config,
  others: Others,
): Promise<number> {
  const { host, reusePort } = config
  const [name, port] = tls === undefined ? ['PORT', config.port] : ['HTTP_PORT', config.httpPort]
  try {
    connections.count(app.server)
    const { sockets } = connections
    const address = { host, port, sockets, allowHalfOpen: true, reusePort }
    others.close = (await listenOnSockets(app.server, address, (options) => app.listen(options))).close
    // Other processes on the port get the new connections from then on.
    if (reusePort) {
      onDrain(() => {
        stopListening(app.server)
        void Promise.all([others.close(), tls?.close()])
      })
    }
  } catch (error) {
    throw new StartError(`cannot listen on HOST=${host} ${name}=${port}: ${(error as Error).message}`, { cause: error })
  }
  await tls?.listen(app.server, connections)
  return (app.server.address() as AddressInfo).port
}
