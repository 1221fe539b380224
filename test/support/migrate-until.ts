// Moves a store, and kills itself after a number of pages: FROM, TO, PAGES.
import { createOperatorClient } from '../../src/operator/client.ts'
import { move, type Place } from '../../src/moving/move.ts'
import { postgresPlaces } from '../../src/nodes/moving/places.ts'

const [from = '', to = '', pages = '0'] = process.argv.slice(2)
let left = Number(pages)
const count = () => void (left-- > 0 || process.kill(process.pid, 'SIGKILL'))
await move({
  from: placeOf(from),
  to: placeOf(to),
  postgres: postgresPlaces,
  now: Date.now,
  monotonic: () => performance.now(),
  callOn: createOperatorClient,
  onStep: count,
  onPage: count,
})

function placeOf(text: string): Place {
  return text.includes('://') ? { url: text } : { folder: text }
}
