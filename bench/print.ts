// What sheets of codes cost, by how many there are: the baseline is 50 plain codes; `ratio` is by code. Memory is that of the thread's process.
import { checkCodes } from '../src/qr/pool/check.ts'
import { openTools } from '../src/qr/pool/tools.ts'
import type { Design } from '../src/qr/design/schema.ts'
import { drawSheet } from '../src/qr/print/draw-sheet.ts'
import { labelFormats } from '../src/qr/print/labels.ts'
import type { SheetJob } from '../src/qr/print/sheet-job.ts'

const ROUNDS = 3
const OF_CHECK = 25

const svg =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><circle cx="4" cy="4" r="4" fill="#9b2226"/></svg>'
const designs: Record<string, Design | undefined> = {
  plain: undefined,
  'dots, a colour and a logo': {
    shape: 'dots',
    fg: '#5a189a',
    logo: { image: `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}` },
  },
}

const tools = await openTools()
const fontOf = await tools.printFonts()
const format = labelFormats['avery-l7160']
if (format === undefined) throw new Error('the format is gone')

function jobOf(count: number, design: Design | undefined): SheetJob {
  const codes = Array.from({ length: count }, (_, at) => ({
    text: `https://qr.example.com/${(1e9 + at * 7919).toString(36).slice(0, 7)}?qr=1`,
    design: design === undefined ? undefined : 0,
    caption: `Room ${at + 1}`,
    address: '',
    name: String(at),
  }))
  return {
    codes,
    designs: design === undefined ? [] : [design],
    logos: [],
    onto: { kind: 'labels', format, start: 1, offset: [0, 0] } as SheetJob['onto'],
    style: 'plain',
  }
}

/** Checks designed codes as the service does, and draws all. @returns bytes of the file */
async function print(job: SheetJob): Promise<number> {
  const logos: SheetJob['logos'] = []
  for (const [index, design] of job.designs.entries())
    for (let at = 0; at < job.codes.length; at += OF_CHECK) {
      const texts = job.codes.slice(at, at + OF_CHECK).map(({ text }) => text)
      const check = { texts, design, at: '', isSaved: true, wantsLogo: logos[index] === undefined }
      const { logo } = await checkCodes(check, tools)
      logos[index] ??= logo
    }
  return drawSheet({ ...job, logos }, { ...tools, fontOf }).length
}

const rows: Record<string, string | number>[] = []
let perCode: number | undefined
for (const [name, design] of Object.entries(designs))
  for (const count of [50, 300, 1000]) {
    const job = jobOf(count, design)
    let [wall, cpu, bytes] = [Infinity, Infinity, 0]
    for (let round = 0; round < ROUNDS; round++) {
      const before = process.cpuUsage()
      const begun = performance.now()
      bytes = await print(job)
      wall = Math.min(wall, performance.now() - begun)
      const { user, system } = process.cpuUsage(before)
      cpu = Math.min(cpu, (user + system) / 1000)
    }
    perCode ??= cpu / count
    rows.push({
      codes: `${count} ${name}`,
      'wall ms': Math.round(wall),
      'CPU ms': Math.round(cpu),
      ratio: (cpu / count / perCode).toFixed(2),
      KiB: Math.round(bytes / 1024),
      'RSS MiB': Math.round(process.memoryUsage.rss() / 2 ** 20),
    })
  }
console.table(rows)
