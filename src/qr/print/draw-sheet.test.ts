import assert from 'node:assert/strict'
import { test } from 'node:test'
import { svgLogo } from '../../../test/support/logos.ts'
import { rasterizer } from '../../../test/support/rasterizer.ts'
import { openDecoder } from '../check/decoder.ts'
import { createEncodeText } from '../matrix.ts'
import { checkCodes } from '../pool/check.ts'
import { openSupplies } from '../pool/tools.ts'
import { drawPart } from './draw-part.ts'
import { drawSheet } from './draw-sheet.ts'
import { openPrintFonts } from './fonts.ts'
import type { SheetPartJob } from './sheet-job.ts'

test('a sheet shows logos as their checks have drawn them, and reads none again, which takes time for each design', async () => {
  const fonts = await openPrintFonts()
  const drawing = { encode: createEncodeText(), rasterizer, reads: await openDecoder() }
  const tools = { ...openSupplies(), ...drawing, printFonts: async () => fonts, fontOf: fonts }
  const design = { logo: { image: svgLogo } }
  const { logo } = await checkCodes({ texts: ['quirl'], design, at: '/design', wantsLogo: true }, tools)
  assert.ok(logo)
  const code = { text: 'quirl', design: 0, caption: '', address: '', name: '' }
  const onto = { kind: 'pages', paper: 'a6' } as const
  const job: SheetPartJob = { part: [code], designs: new Map([[0, { design, logo }]]), onto, style: 'plain' }
  const { body, faults } = drawPart(job, {
    ...tools,
    readLogo() {
      throw new Error('it was read again')
    },
  })
  assert.deepEqual(faults, [undefined])
  const sheet = drawSheet({ parts: [body], count: 1, logos: [logo], onto }, tools.fontOf)
  assert.match(Buffer.from(sheet).toString('latin1'), /\/Subtype ?\/Image/)
})
