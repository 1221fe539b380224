import { execFileSync } from 'node:child_process'

/** Whether a thread can bound what the kernel receives: Node 26.1 or later, on Linux. */
export const canBound = process.platform === 'linux' && process.allowedNodeEnvironmentFlags.has('--experimental-ffi')

/**
 * What the kernel keeps at most of what was not read of each connection, in bytes, twice what was asked for (socket(7)); by `ss`.
 * @param filter which connections, such as `sport = :80`
 */
export function receiveBuffers(filter: string): number[] {
  const lines = execFileSync('ss', ['-t', '-n', '-m', '-H', '-O', filter], { encoding: 'utf8' })
  return [...lines.matchAll(/,rb(\d+),/g)].map(([, bytes]) => Number(bytes))
}
