import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createEncodeText } from '../src/qr/matrix.ts'
import { temporaryFolder } from './support/cleanup.ts'
import { command, quirl } from './support/cli.ts'
import { photograph, readWithZxing } from './support/decoders.ts'
import { program } from './support/program.ts'

const DATA = 'https://example.com/a menu?x=1'

/** The modules that a terminal shows, row by row, including the quiet zone. */
function modulesOf(drawing: string): number[][] {
  return drawing
    .trimEnd()
    .split('\n')
    .flatMap((line) => {
      const [before, after] = ['\x1b[30;107m', '\x1b[0m']
      assert.ok(line.startsWith(before) && line.endsWith(after), JSON.stringify(line))
      const halves = line.slice(before.length, -after.length)
      assert.match(halves, /^[ ▀▄█]+$/)
      return ['▀█', '▄█'].map((dark) => Array.from(halves, (half) => (dark.includes(half) ? 1 : 0)))
    })
}

test('"quirl qr" draws the symbol with half blocks and its quiet zone, without a running service', async (t) => {
  const { status, stdout, stderr } = await quirl(temporaryFolder(t), 'qr', DATA, '--ecl=q')
  assert.deepEqual([status, stderr], [0, ''])
  const rows = modulesOf(stdout)
  const { size, modules } = createEncodeText()(DATA, { level: 'Q' })
  const symbol = rows.slice(4, 4 + size).map((row) => row.slice(4, 4 + size))
  assert.deepEqual(symbol.flat(), [...modules])
  const quiet = [...rows.slice(0, 4), ...rows.slice(4 + size)]
    .flat()
    .concat(rows.flatMap((row) => [...row.slice(0, 4), ...row.slice(4 + size)]))
  assert.ok(quiet.every((dark) => dark === 0))
})

test('"quirl qr --out" writes a PNG, an SVG or a PDF, depending on the file name', async (t) => {
  const folder = temporaryFolder(t)
  const design = join(folder, 'design.json')
  writeFileSync(design, JSON.stringify({ shape: 'dots', fg: '#03045e' }))
  for (const [name, start] of [
    ['a.png', '\x89PNG'],
    ['b.svg', '<svg'],
    ['c.PDF', '%PDF'],
  ] as const) {
    const out = join(folder, name)
    const { status, stdout, stderr } = await command(
      folder,
      'qr',
      DATA,
      `--out=${out}`,
      '--size=600',
      `--design=${design}`,
    )
    assert.deepEqual([status, stderr], [0, ''])
    assert.match(stdout, /bytes, level [LMQH], scannability (?:excellent|good)\n$/)
    assert.ok(readFileSync(out, 'latin1').startsWith(start))
  }
  const [png] = await readWithZxing(readFileSync(join(folder, 'a.png')))
  const [svg] = await readWithZxing(photograph(readFileSync(join(folder, 'b.svg'), 'utf8')))
  assert.deepEqual([png?.text, svg?.text], [DATA, DATA])
})

test('a reader that closes the pipe early, as "head" does, causes no error message', async () => {
  const drawing = spawn(process.execPath, [program, 'qr', DATA], { stdio: ['ignore', 'pipe', 'pipe'] })
  drawing.stdout.destroy()
  let printed = ''
  drawing.stderr.on('data', (data) => (printed += String(data)))
  const [status] = (await once(drawing, 'close')) as [number]
  assert.deepEqual([status, printed], [1, ''])
})

test('data that is not UTF-8 is refused', () => {
  const { status, stdout, stderr } = spawnSync('sh', [
    '-c',
    `exec "$0" "$1" qr "$(printf 'caf\\351')"`,
    process.execPath,
    program,
  ])
  assert.deepEqual([status, String(stdout), String(stderr)], [1, '', 'quirl: the data must be UTF-8\n'])
})

test('a design file may begin with a byte order mark, as Windows editors write it', async (t) => {
  const folder = temporaryFolder(t)
  const file = join(folder, 'design.json')
  writeFileSync(file, '\ufeff{"shape":"dots"}')
  const { status, stderr } = await command(folder, 'qr', DATA, `--out=${join(folder, 'x.svg')}`, `--design=${file}`)
  assert.deepEqual([status, stderr], [0, ''])
})

test('a failing "quirl qr" prints one line that says what to change, and writes no file', async (t) => {
  const folder = temporaryFolder(t)
  const out = join(folder, 'x.png')
  const broken = join(folder, 'broken.json')
  writeFileSync(broken, '{"shape":')
  for (const [args, line] of [
    [[], /one argument/],
    [['a', 'b'], /one argument/],
    [['a', '--out=a.gif'], /must end in/],
    [['a', '--size=300'], /--out/],
    [['a', `--out=${out}`, '--size=big'], /size must be a whole number/],
    [['a', `--out=${out}`, '--size=9000'], /size must be at most 4096/],
    [['a', '--ecl=X'], /ecl must be one of/],
    [['a'.repeat(2954)], /data must be at most/],
    [['a', `--out=${join(folder, 'no', 'x.png')}`], /ENOENT/],
    [['a', `--out=${out}`, `--design=${join(folder, 'none.json')}`], /none\.json/],
    [['a', `--out=${out}`, `--design=${broken}`], /broken\.json: the file is not valid JSON/],
    [['a', `--out=${out}`, '--width=40'], /--width is only for a \.pdf/],
  ] as const) {
    const { status, stdout, stderr } = await command(folder, 'qr', ...args)
    assert.deepEqual([status, stdout], [1, ''], args.join(' ').slice(0, 60))
    assert.match(stderr, line)
    assert.equal(stderr.trimEnd().split('\n').length, 1)
  }
  assert.equal(existsSync(out), false)
})
