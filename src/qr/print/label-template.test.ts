import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openPrintFonts } from './fonts.ts'
import { labelTemplate } from './label-template.ts'
import { readLabels } from './labels.ts'
import { composePage, type TextPart } from './page.ts'
import { typographies } from './template.ts'

const fonts = await openPrintFonts()

/** The lines beside a code on a label. */
function linesOn(labels: string, title: string): TextPart[] {
  const format = readLabels(labels)
  assert.ok(!('pointer' in format))
  const code = { ratio: 1, columns: 25, quiet: 4 }
  const content = { title, text: '', address: '', code, logo: undefined }
  const { faces } = composePage(labelTemplate(format, true), typographies.plain, content, fonts)
  return (faces[0]?.parts ?? []).filter((part) => part.kind === 'text')
}

test('two short words stand in one line of a label, in letters that are a little smaller, and long texts are broken', () => {
  for (const [labels, title] of [
    ['avery-l7160', 'Zimmer 12'],
    ['avery-l7160', 'Zwei Wörter'],
    ['avery-l7159', 'Room 104'],
    ['avery-5160', 'Besprechungsraum 3'],
    ['avery-3475', 'Dachterrasse Süd'],
  ] as const) {
    const lines = linesOn(labels, title)
    assert.deepEqual(
      lines.map(({ text }) => text),
      [title],
      labels,
    )
    for (const { width, most } of lines) assert.ok(width <= most, `${labels}: ${width} > ${most}`)
  }
  const broken = linesOn('avery-l7160', 'Frühstück im Garten')
  assert.deepEqual(
    broken.map(({ text }) => text),
    ['Frühstück', 'im Garten'],
  )
  assert.ok((broken[0]?.size ?? 0) > 5, 'letters are not made small for one line')
})
