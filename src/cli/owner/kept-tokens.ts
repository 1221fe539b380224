import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { StartError } from '../../lib/start-error.ts'
import { whileLocked } from '../../lib/lock-file.ts'

/** Tokens that an owner has asked to keep: by the origin of the service, then by code or name, which may be `__proto__`. */
type Kept = Map<string, Map<string, string>>

/** The folder of the configuration of commands for owners (XDG Base Directory Specification). */
export function configFolder(env: NodeJS.ProcessEnv): string | undefined {
  const base = env['XDG_CONFIG_HOME'] ?? (env['HOME'] && join(env['HOME'], '.config'))
  return base ? join(base, 'quirl') : undefined
}

/** A file of kept tokens, of links by their codes or of collections by their names; only its owner can read it. */
export interface KeptTokens {
  /** Its path; undefined when the environment names no folder. */
  file: string | undefined
  find: (server: string, code: string) => string | undefined
  /** @throws {StartError} when the file cannot be written */
  keep: (server: string, tokens: { code: string; token: string }[]) => void
  drop: (server: string, code: string) => void
  /** Those of a service, by code or name. */
  all: (server: string) => [code: string, token: string][]
  /**
   * Keeps a token under a name that no other token has: a second "summer" is "summer (2)". A token that is kept already moves
   * to the name.
   * @returns the name
   * @throws {StartError} when the file cannot be written
   */
  keepAs: (server: string, name: string, token: string) => string
}

/** @param folder undefined when the environment names none */
export function openKeptTokens(folder: string | undefined, name: 'tokens.json' | 'collections.json'): KeptTokens {
  const file = folder === undefined ? undefined : join(folder, name)
  const read = (): Kept => (file === undefined ? new Map() : readKept(file))

  function change<T>(edit: (kept: Kept) => T): T {
    if (file === undefined) throw new StartError('tokens cannot be kept: neither XDG_CONFIG_HOME nor HOME is set')
    makeFolder(dirname(file))
    return whileLocked(`${file}.lock`, () => {
      const kept = read()
      const done = edit(kept)
      writeWhole(file, textOf(kept))
      return done
    })
  }

  return {
    file,
    find: (server, code) => read().get(server)?.get(code.toLowerCase()),
    keep: (server, tokens) =>
      change((kept) => {
        const ofServer = tokensOf(kept, server)
        for (const { code, token } of tokens) ofServer.set(code.toLowerCase(), token)
      }),
    drop(server, code) {
      if (!read().get(server)?.has(code.toLowerCase())) return
      change((kept) => kept.get(server)?.delete(code.toLowerCase()))
    },
    all: (server) => [...(read().get(server) ?? [])],
    keepAs: (server, name, token) =>
      change((kept) => {
        const ofServer = tokensOf(kept, server)
        for (const [other, each] of ofServer) if (each === token) ofServer.delete(other)
        const free = freeName(ofServer, name.toLowerCase())
        ofServer.set(free, token)
        return free
      }),
  }
}

function tokensOf(kept: Kept, server: string): Map<string, string> {
  const ofServer = kept.get(server) ?? new Map<string, string>()
  kept.set(server, ofServer)
  return ofServer
}

function freeName(taken: ReadonlyMap<string, string>, name: string): string {
  for (let count = 1; ; count++) {
    const candidate = count === 1 ? name : `${name} (${count})`
    if (!taken.has(candidate)) return candidate
  }
}

function readKept(file: string): Kept {
  try {
    const kept = entriesOf(JSON.parse(readFileSync(file, 'utf8')))
    return new Map(kept.map(([server, tokens]) => [server, new Map(entriesOf(tokens) as [string, string][])]))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Map()
    throw new StartError(`${file} cannot be read: ${(error as Error).message}`, { cause: error })
  }
}

function entriesOf(value: unknown): [string, unknown][] {
  if (typeof value !== 'object' || value === null) throw new SyntaxError('not an object')
  return Object.entries(value)
}

function textOf(kept: Kept): string {
  const servers = [...kept].map(([server, tokens]) => [server, Object.fromEntries(tokens)])
  return `${JSON.stringify(Object.fromEntries(servers), undefined, 2)}\n`
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new StartError(`${folder} cannot be created: ${(error as Error).message}`, { cause: error })
  }
}

/** Renames a complete file into place: a crash leaves the old one. */
function writeWhole(file: string, text: string): void {
  const draft = `${file}.${process.pid}`
  try {
    writeFileSync(draft, text, { mode: 0o600, flush: true })
    renameSync(draft, file)
  } catch (error) {
    rmSync(draft, { force: true })
    throw new StartError(`${file} cannot be written: ${(error as Error).message}`, { cause: error })
  }
}
