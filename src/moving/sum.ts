import { createHash } from 'node:crypto'
import type { Pages, Row } from './table.ts'

/** How many rows a table has, and a digest of all of them in the order of their keys. */
export interface Sum {
  rows: number
  digest: string
}

/** Sums up rows while another reads them. */
export function summing(pages: Pages): { pages: Pages; sum: () => Sum } {
  const hash = createHash('sha256')
  let rows = 0
  return {
    pages: (async function* () {
      for await (const page of pages) {
        hash.update(page.map(textOf).join(''))
        rows += page.length
        yield page
      }
    })(),
    sum: () => ({ rows, digest: hash.digest('hex') }),
  }
}

export async function sumOf(pages: Pages): Promise<Sum> {
  const summed = summing(pages)
  for await (const page of summed.pages) void page
  return summed.sum()
}

function textOf(row: Row): string {
  return `${JSON.stringify(row, (_, value: unknown) => (value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value))}\n`
}
