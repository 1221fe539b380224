import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { stopWhenFolded, UNLIMITED } from './support/workload.ts'
import { temporaryFolder } from './support/cleanup.ts'
import { createOwner } from './support/owner.ts'
import { compareStored } from './support/owners.ts'
import { poll } from './support/poll.ts'
import { exitOf, start } from './support/program.ts'
import { seededRandom } from './support/random.ts'

/** `npm run test:faults` kills a hundred times. */
const KILLS = Number(process.env['KILLS'] ?? 3)
const OWNERS = 24

test(`after ${KILLS} times kill -9 under load, each acknowledged change and visit is stored exactly once`, async (t) => {
  const random = seededRandom(t)
  const dataDir = temporaryFolder(t)
  const owners = Array.from({ length: OWNERS }, (_, at) => createOwner(`o${at}`, random))
  const links = () => owners.flatMap((owner) => owner.links)
  const visits = () => links().reduce((sum, { answered }) => sum + answered.size, 0)
  for (let kill = 0; kill < KILLS; kill++) {
    const service = await start(t, dataDir, UNLIMITED)
    const working = Promise.all(owners.map((owner) => owner.work(service.url)))
    // Between a moment before the first fold and the middle of a later one, once there are links and visits to lose.
    await sleep(20 + random() * 1500)
    await poll(
      () => links().length > kill + 1 && visits() > kill + 1,
      () => `${links().length} links, ${visits()} visits`,
    )
    service.process.kill('SIGKILL')
    await working
    await exitOf(service)
  }
  const service = await start(t, dataDir, UNLIMITED)
  await Promise.all(owners.map((owner) => owner.repeat(service.url)))
  await stopWhenFolded(service)
  compareStored(dataDir, owners)
  t.diagnostic(`${links().length} links, ${visits()} visits`)
})
