import assert from 'node:assert/strict'
import { test } from 'node:test'
import { svgLogo } from '../../../test/support/logos.ts'
import { checkCodes } from '../pool/check.ts'
import { openTools } from '../pool/tools.ts'
import { drawPart } from './draw-part.ts'
import { drawSheet } from './draw-sheet.ts'
import type { SheetPartJob } from './sheet-job.ts'

test('a sheet shows logos as their checks have drawn them, and reads none again, which takes time for each design', async () => {
  const opened = await openTools()
  const tools = { ...opened, fontOf: await opened.printFonts() }
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
