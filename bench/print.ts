// What sheets of codes cost, by how many there are: the baseline is 50 plain codes; `ratio` is by code. Memory is that of the thread's process.
import { checkCodes } from '../src/qr/pool/check.ts'
import { openTools } from '../src/qr/pool/tools.ts'
import type { Design } from '../src/qr/design/schema.ts'
import { drawPart } from '../src/qr/print/draw-part.ts'
import { drawSheet } from '../src/qr/print/draw-sheet.ts'
import { labelFormats } from '../src/qr/print/labels.ts'
import type { SheetCode, SheetJob, SheetPartJob } from '../src/qr/print/sheet-job.ts'

const ROUNDS = 3
const AT_ONCE = 25

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

interface Order extends Pick<SheetPartJob, 'onto' | 'style'> {
  codes: SheetCode[]
  design: Design | undefined
}

function orderOf(count: number, design: Design | undefined): Order {
  const codes = Array.from({ length: count }, (_, at) => ({
    text: `https://qr.example.com/${(1e9 + at * 7919).toString(36).slice(0, 7)}?qr=1`,
    design: design === undefined ? undefined : 0,
    caption: `Room ${at + 1}`,
    address: '',
    name: String(at),
  }))
  const onto = { kind: 'labels', format, start: 1, offset: [0, 0] } as SheetJob['onto']
  return { codes, design, onto, style: 'plain' }
}

/** Checks designed codes as the service does, and draws all. @returns bytes of the file */
async function print({ codes, design, onto, style }: Order): Promise<number> {
  const logos: SheetJob['logos'] = []
  const some = Array.from({ length: Math.ceil(codes.length / AT_ONCE) }, (_, at) =>
    codes.slice(at * AT_ONCE, (at + 1) * AT_ONCE),
  )
  if (design !== undefined)
    for (const part of some) {
      const texts = part.map(({ text }) => text)
      const { logo } = await checkCodes({ texts, design, at: '', isSaved: true, wantsLogo: logos.length === 0 }, tools)
      if (logo !== undefined) logos.push(logo)
    }
  const designs = new Map(design && [[0, { design, logo: logos[0] }]])
  const parts = some.map((part) => drawPart({ part, designs, onto, style }, { ...tools, fontOf }).body)
  return drawSheet({ parts, count: codes.length, logos, onto }, fontOf).length
}

const rows: Record<string, string | number>[] = []
let perCode: number | undefined
for (const [name, design] of Object.entries(designs))
  for (const count of [50, 300, 1000]) {
    const order = orderOf(count, design)
    let [wall, cpu, bytes] = [Infinity, Infinity, 0]
    for (let round = 0; round < ROUNDS; round++) {
      const before = process.cpuUsage()
      const begun = performance.now()
      bytes = await print(order)
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
