import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'csv-parse/sync'
import { disconnected } from '../../http/client-disconnect.ts'
import { Problem } from '../../http/problem.ts'
import { zipOf } from '../../http/zip.ts'
import type { BulkResult } from './bulk.ts'
import { filesOf, type Archive } from './bulk-files.ts'

const svg = Buffer.from('<svg/>')

/** An archive of links with these titles, and codes in their order. */
function archiveOf(titles: (string | undefined)[], change: Partial<Archive> = {}): Archive {
  const results = titles.map((_, index) => ({
    index,
    code: `code${index}`,
    short_url: `https://qr.example/code${index}`,
    qr_png: `https://qr.example/code${index}/qr.png`,
    qr_svg: `https://qr.example/code${index}/qr.svg`,
    manage_url: `https://qr.example/m/token${index}`,
    token: `token${index}`,
  }))
  const result: BulkResult = { created: titles.length, failed: 0, results }
  const rows = titles.map((title) => ({ target: 'https://example.com/', ...(title !== undefined && { title }) }))
  return {
    csv: 'index\n',
    rows,
    result,
    names: 'code',
    ending: 'svg',
    turn: async () => {},
    draw: async () => svg,
    ...change,
  }
}

async function read(archive: Archive): Promise<{ names: string[]; manifest: Record<string, string>[] }> {
  const names: string[] = []
  let manifest = ''
  for await (const { name, input } of filesOf(archive)) {
    names.push(name)
    if (name === 'manifest.csv') manifest = input as string
  }
  return { names, manifest: parse(manifest, { columns: true }) }
}

test('the table with the tokens comes first, the manifest without them last', async () => {
  const { names, manifest } = await read(archiveOf(['Menu', undefined]))
  assert.deepEqual(names, ['links.csv', 'qr-code0.svg', 'qr-code1.svg', 'manifest.csv'])
  assert.deepEqual(manifest[0], {
    index: '0',
    file: 'qr-code0.svg',
    code: 'code0',
    short_url: 'https://qr.example/code0',
    title: 'Menu',
    target: 'https://example.com/',
    error: '',
  })
})

test('files named by titles are safe and unique, and those without a title are named by the code', async () => {
  const titles = ['../../etc/passwd', 'CON', '🍕 Pizza', 'table', 'Table', 'TABLE', '', '...', undefined]
  const { names, manifest } = await read(archiveOf(titles, { names: 'title', ending: 'png' }))
  const images = [
    'etc passwd.png',
    '_CON.png',
    '🍕 Pizza.png',
    'table.png',
    'Table (code4).png',
    'TABLE (code5).png',
    'qr-code6.png',
    'qr-code7.png',
    'qr-code8.png',
  ]
  assert.deepEqual(names, ['links.csv', ...images, 'manifest.csv'])
  assert.deepEqual(
    manifest.map(({ file }) => file),
    images,
  )
})

test('an image that cannot be drawn is in the manifest with its reason, and does not spoil the others', async () => {
  const archive = archiveOf(['a', 'b', 'c'], {
    draw: async ({ code }) => {
      if (code === 'code1') throw new Problem('unavailable', 'too many images are being drawn')
      return svg
    },
  })
  const { names, manifest } = await read(archive)
  assert.deepEqual(names, ['links.csv', 'qr-code0.svg', 'qr-code2.svg', 'manifest.csv'])
  assert.deepEqual(
    manifest.map(({ file, error }) => [file, error]),
    [
      ['qr-code0.svg', ''],
      ['', 'unavailable: too many images are being drawn'],
      ['qr-code2.svg', ''],
    ],
  )
})

test('nothing more is drawn once the client has disconnected', async () => {
  let drawn = 0
  const draw = async () => {
    drawn++
    return Buffer.alloc(256 * 1024)
  }
  const zip = zipOf(
    filesOf(
      archiveOf(
        Array.from({ length: 100 }, () => ''),
        { draw },
      ),
    ),
  )
  for await (const _ of zip) if (drawn === 3) break
  const atEnd = drawn
  await new Promise((resolve) => setTimeout(resolve, 50))
  assert.ok(zip.destroyed)
  assert.equal(drawn, atEnd)
  assert.ok(drawn < 6, `${drawn} images were drawn`)
})

test('no image is drawn before its turn has come, however fast the archive is read', async () => {
  const turns: (() => void)[] = []
  let drawn = 0
  const archive = archiveOf(['a', 'b', 'c'], {
    turn: () => new Promise((resolve) => turns.push(resolve)),
    async draw() {
      drawn++
      return svg
    },
  })
  const reading = read(archive)
  for (let number = 0; number < 3; number++) {
    await new Promise((resolve) => setImmediate(resolve))
    assert.deepEqual([turns.length, drawn], [1, number])
    turns.pop()?.()
  }
  assert.equal((await reading).names.length, 5)
})

test('once the client has disconnected, none of the rows that are left is drawn', async () => {
  let turns = 0
  let drawn = 0
  const archive = archiveOf(
    Array.from({ length: 50 }, () => 'Menu'),
    {
      turn: async () => {
        if (++turns > 2) throw disconnected()
      },
      draw: async () => {
        drawn++
        return svg
      },
    },
  )
  await assert.rejects(read(archive), { message: disconnected().message })
  assert.deepEqual([turns, drawn], [3, 2])
})
