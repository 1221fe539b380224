import { downloadZip } from 'client-zip'
import { writeRecords } from '../../../lib/csv.ts'
import { createCodeFileNames } from '../../../lib/file-name.ts'
import { drawnCodes, type CreatedRow, type Progress } from './draw-codes.ts'
import { createdOf, type State } from './state.ts'

const linkColumns = ['short_url', 'manage_url', 'token', 'code', 'qr_png', 'qr_svg'] as const
const rowColumns = ['target', 'title', 'campaign'] as const
const manifestColumns = ['file', 'code', 'short_url', 'title', 'target', 'error'] as const

/** Times as many pixels in a PNG as the SVG has: so many that a module has whole ones, and a printer's resolution is reached at 85 mm. */
const PNG_SCALE = 2

/** The mark at the start tells spreadsheets that it is UTF-8. */
const tableOf = (lines: string[][]) => `\uFEFF${writeRecords(lines)}`

/** The created links with their keys. */
export function linksCsv(rows: CreatedRow[]): string {
  const lines = rows.map(({ cells, link }) => [
    ...linkColumns.map((name) => link[name]),
    ...rowColumns.map((name) => cells[name] ?? ''),
  ])
  return tableOf([[...linkColumns, ...rowColumns], ...lines])
}

/** The images and the list of links as one ZIP, whose manifest, without keys, can be handed on with the images. */
export async function archiveOf(state: State, codeText: string, progress: Progress): Promise<Blob> {
  const rows = createdOf(state)
  const { format, names } = state.archive
  const nameOf = createCodeFileNames(names)
  const files = new Map<number, { name: string } | { error: string }>()

  async function* all() {
    yield { name: 'links.csv', input: linksCsv(rows) }
    for await (const { row, svg } of drawnCodes(rows, codeText, progress)) {
      const image = format === 'svg' ? svg : await pngOf(svg).catch((error: unknown) => error as Error)
      if (image instanceof Error) {
        files.set(row.id, { error: image.message })
        continue
      }
      const name = `${nameOf(row.link.code, row.cells.title)}.${format}`
      files.set(row.id, { name })
      yield { name, input: image }
    }
    yield { name: 'manifest.csv', input: manifestOf(state, files) }
  }
  return downloadZip(all()).blob()
}

function manifestOf({ rows }: State, files: ReadonlyMap<number, { name: string } | { error: string }>): string {
  const lines = rows.map(({ id, cells, link, fault }) => {
    const file = files.get(id) ?? { error: fault?.text ?? '' }
    const [name, error] = 'name' in file ? [file.name, ''] : ['', file.error]
    return [name, link?.code ?? '', link?.short_url ?? '', cells.title ?? '', cells.target ?? '', error]
  })
  return tableOf([[...manifestColumns], ...lines])
}

/** Has the browser draw an SVG as PNG. @throws when it cannot */
async function pngOf(svg: string): Promise<Blob> {
  const image = new Image()
  image.src = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }))
  try {
    await image.decode()
    const canvas = document.createElement('canvas')
    canvas.width = image.naturalWidth * PNG_SCALE
    canvas.height = image.naturalHeight * PNG_SCALE
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height)
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'))
    if (blob === null) throw new Error('the browser has drawn no image')
    return blob
  } finally {
    URL.revokeObjectURL(image.src)
  }
}
