// Moves a store, and kills itself after a number of pages: FROM, TO, PAGES.
import { createOperatorClient } from '../../src/operator/client.ts'
import { move, readPlace } from '../../src/moving/move.ts'

const [from = '', to = '', pages = '0'] = process.argv.slice(2)
let left = Number(pages)
const count = () => void (left-- > 0 || process.kill(process.pid, 'SIGKILL'))
await move({
  from: readPlace(from),
  to: readPlace(to),
  now: Date.now,
  monotonic: () => performance.now(),
  callOn: createOperatorClient,
  onStep: count,
  onPage: count,
})
