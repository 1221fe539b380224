import assert from 'node:assert/strict'

/** The CPU time of this thread in milliseconds, which other load on the machine does not affect. */
export function cpuTime(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** The CPU time of a fixed piece of work on this machine as it is now, a few milliseconds: the shortest of a few. */
export function calibrate(): number {
  const times = Array.from({ length: 3 }, () => {
    const began = cpuTime()
    let sum = 0
    for (let at = 0; at < 500_000; at++) sum = (sum + at * at) % 1_000_003
    assert.ok(sum >= 0)
    return cpuTime() - began
  })
  return Math.min(...times)
}
