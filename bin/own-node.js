// Finds the Node that quirl runs on. Any Node from 18 on reads this file: an old one must be able to hand over to a newer one.
import { spawn, spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'

const LOWEST = '24.12'

export const TOO_FEW_FILES =
  'too many files are open: allow this process 64 at least (ulimit -n, LimitNOFILE, docs/capacity.md#connections)'

/** A service's own signals, and a terminal's, which reach every process that it runs. */
const FORWARDED = ['SIGTERM', 'SIGHUP', 'SIGUSR2', 'SIGINT', 'SIGQUIT']
const OF_TERMINALS = new Set(['SIGINT', 'SIGQUIT'])

/** What a shell reports of a process that a signal ended. */
const ENDED_BY_SIGNAL = 128

/** @param {string} version as in `process.versions.node` */
function isNewEnough(version) {
  const [major, minor] = version.split('.').map(Number)
  const [lowestMajor, lowestMinor] = LOWEST.split('.').map(Number)
  return major > lowestMajor || (major === lowestMajor && minor >= lowestMinor)
}

/**
 * The Node that npm has installed as a package: not every npm links it into node_modules/.bin.
 * @returns {string | undefined}
 */
function findInstalled() {
  const require = createRequire(import.meta.url)
  for (const prefix of ['node-', 'node-bin-']) {
    try {
      const manifest = require.resolve(`${prefix}${process.platform}-${process.arch}/package.json`)
      return join(dirname(manifest), require(manifest).bin.node)
    } catch {
      // npm has no package for this system, or was told to omit it.
    }
  }
  return undefined
}

/** @param {string} reason */
function tell(reason) {
  return new Error(`quirl needs Node ${LOWEST} or newer, this is ${process.versions.node}; ${reason}`)
}

/**
 * The path of the Node that runs quirl: the running one, or else the one that npm has installed with quirl.
 * @returns {string}
 * @throws {Error} whose message says in one line what to install
 */
export function findNode() {
  if (isNewEnough(process.versions.node)) return process.execPath
  const installed = findInstalled()
  if (installed === undefined)
    throw tell(`install it (https://nodejs.org), as npm has installed none for ${process.platform} on ${process.arch}`)
  // Another libc, or a library that is missing.
  const { status, stderr, error } = spawnSync(installed, ['--version'], { encoding: 'utf8' })
  if (status === 0) return installed
  if (isTooMany(error)) throw new Error(`quirl: ${TOO_FEW_FILES}`)
  const [fault = ''] = (error?.message ?? stderr ?? '').trim().split('\n')
  throw tell(`install it (https://nodejs.org), as the one that npm has installed does not run here: ${fault}`)
}

/** @param {{ code?: string } | undefined} error */
export function isTooMany(error) {
  return error?.code === 'EMFILE' || error?.code === 'ENFILE'
}

/**
 * Runs a program in this process's place: with its input and output, its signals, and its status in the end.
 * @param {string} node
 * @param {string[]} args
 */
export function runInstead(node, args) {
  // Before it starts: a signal that comes at once must not end this process and leave that one running.
  for (const signal of FORWARDED) {
    if (!(signal in constants.signals)) continue
    process.on(signal, () => {
      if (!(process.stdin.isTTY && OF_TERMINALS.has(signal))) child.kill(signal)
    })
  }
  const child = spawn(node, args, { stdio: 'inherit' })
  child.on('error', (error) => {
    console.error(`quirl: ${isTooMany(error) ? TOO_FEW_FILES : `${node} could not be started: ${error.message}`}`)
    process.exitCode = 1
  })
  child.on('exit', (status, signal) => {
    process.exitCode = signal === null ? status : ENDED_BY_SIGNAL + constants.signals[signal]
  })
}

/**
 * Ends with one line unless a Node is found.
 * @returns {string} as of `findNode`
 */
export function requireNode() {
  try {
    return findNode()
  } catch (error) {
    console.error(error.message)
    process.exit(1)
  }
}
