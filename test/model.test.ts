import { test } from 'node:test'
import { temporaryFolder } from './support/cleanup.ts'
import { fc, runs } from './support/fast-check.ts'
import { checkCollections, collectFirst, collections } from './support/model/collections.ts'
import { checkCollectionShares, collectionShares } from './support/model/collection-shares.ts'
import { looks } from './support/model/looks.ts'
import { bringAllBack, changes, checkHistory } from './support/model/changes.ts'
import { interruptions } from './support/model/interruptions.ts'
import { passwords } from './support/model/passwords.ts'
import { manyChanges } from './support/model/many.ts'
import { ruleChanges } from './support/model/rules.ts'
import { createLink, type Command, type ModelLink, type World } from './support/model/model.ts'
import { checkShares, shares } from './support/model/shares.ts'
import { checkTokens, tokens } from './support/model/tokens.ts'
import { checkCounts, visits } from './support/model/visits.ts'
import { cheapScrypt } from './support/passwords.ts'
import { seedOf } from './support/random.ts'
import { skipUnlessSqlite, skipUnlessOneNode, startServer } from './support/server.ts'

const START = Date.UTC(2026, 1, 27, 9, 30)

/** The commands, in the order in which a failure is simplified. */
const kinds = [
  ...changes,
  ...manyChanges,
  ...ruleChanges,
  ...passwords,
  ...visits,
  ...interruptions,
  ...tokens,
  ...shares,
  ...collections,
  ...looks,
  ...collectionShares,
]

/** What is compared of each link that is not deleted, after a plan. */
const checks: ((world: World, one: ModelLink) => Promise<void>)[] = [checkCounts, checkHistory]

const plans: fc.Arbitrary<Command[]> = fc.array(fc.oneof(...kinds), { minLength: 10, maxLength: 60 })

test('after any visits, passwords, rules, changes, reverts, rotations, looks, shares, collections, deletions, undeletions, failed folds and restarts, the service agrees with a plain model', async (t) => {
  const env = { TRUST_PROXY: '127.0.0.1', GEO_HEADERS: 'cloudflare', DATA_DIR: temporaryFolder(t) }
  const start = () => startServer(t, env, () => world.now, { scrypt: cheapScrypt })
  const world: World = {
    now: START,
    isOneNode: skipUnlessOneNode === false,
    isSqlite: skipUnlessSqlite === false,
    links: [],
    collections: [],
    async restart() {
      await world.server.stop()
      world.server = await start()
    },
    server: undefined as never,
  }
  world.server = await start()
  // All plans share one folder, so that a plan would see scans that belong to links of another.
  await fc.assert(
    fc.asyncProperty(plans, async (plan) => {
      Object.assign(world, { links: [], collections: [] })
      await createLink(world)
      await collectFirst(world)
      for (const command of plan) await kinds.find(({ name }) => name === command.do)?.run(world, command)
      await checkCollections(world)
      await checkCollectionShares(world)
      await bringAllBack(world)
      for (const one of world.links) {
        await checkTokens(world, one)
        await checkShares(world, one)
        if (!one.isDeleted) for (const check of checks) await check(world, one)
      }
      // The tokens of links that were used above may have ended memberships.
      await checkCollections(world)
    }),
    { numRuns: Number(process.env['MODEL_RUNS'] ?? runs(30)), seed: seedOf(t) },
  )
})
