// The program, with the times of its stop in STOP_TIMES: how long its work takes depends on the machine.
import { main } from '../../src/main.ts'
import type { StopTimes } from '../../src/stop.ts'

await main(process.argv.slice(2), JSON.parse(process.env['STOP_TIMES'] ?? '') as StopTimes)
