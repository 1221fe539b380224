import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { svg, sheet, rect, clean } from '../../../test/support/style-sheets.ts'

const times = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, at) => part(at)).join('')

describe('an SVG logo with a style sheet is refused, with the reason, for', () => {
  const a = rect('class="a"')
  const refusals: [name: string, text: string, word: RegExp][] = [
    ...[
      '@import "http://example.com/a.css";',
      '@font-face{font-family:a}',
      '@media print{.a{fill:red}}',
      '@charset "utf-8";',
    ]
      .concat('@keyframes a{from{fill:red}}', '@supports (fill:red){.a{fill:red}}', '@namespace "a";', '@layer a;')
      .map((css): [string, string, RegExp] => {
        const [name = ''] = /@[\w-]+/.exec(css) ?? []
        return [name, sheet(`.a{fill:red}${css}`, a), new RegExp(`must not have ${name} in its <style>`)]
      }),
    ...['g path', 'g>path', 'g + path', 'g~path', '.a:hover', '.a::before', '[fill]', 'path[d]', '*', '.a.b', '.1', '']
      .concat('.a,', ':root', '#1', 'svg|path', '#a.b', '&lt;!-- .a', '.a%')
      .map((css): [string, string, RegExp] => [
        `the selector ${css}`,
        sheet(`${css}{fill:red}`, a),
        /must not have the selector ".*" in its <style>: only names/,
      ]),
    ['escapes', sheet('.\\61{fill:red}', a), /escapes/],
    ['an escaped URL', sheet('.a{fill:u\\72l(http://example.com)}', a), /escapes/],
    ['an external URL', sheet('.a{fill:url(http://example.com/#a)}', a), /anything outside/],
    ['an unused external URL', sheet('.b{fill:url( "//example.com")}', a), /anything outside/],
    ['a URL in a property that is not drawn', sheet('.b{cursor:url(a.png)}', a), /anything outside/],
    ['a filter', sheet('.a{filter:url(#f)}', a), /filter/],
    ['a blend mode', sheet('.a{mix-blend-mode:multiply}', a), /mix-blend-mode/],
    ['a path', sheet("path{d:path('M0 0')}", '<path d="M0 0h8v8z"/>'), /path in a style/],
    ['an unsupported colour', sheet('.a{fill:color(display-p3 1 0 0)}', a), /fill=.*not understood/],
    ['a variable', sheet('.a{fill:var(--b)}', a), /not understood/],
    ['a rotation', sheet('.a{transform:rotate(45deg)}', a), /transform/],
    ['a missing gradient', sheet('.a{fill:url(#g)}', a), /#g.*gradient/],
    ['a missing clip path', sheet('.a{clip-path:url(#g)}', a), /#g.*clip path/],
    ['a no-break space', sheet('.a{\u{a0}fill:red}', a), /in its <style>, which is not understood/],
    ['text behind !important', sheet('.a{fill:red!important+}', a), /not understood/],
    ['nested rules', sheet('.a{fill:red;.b{fill:blue}}', a), /".a\{fill:red;.b\{fill:blue" in its <style>/],
    ['a rule without an end', sheet('.a{fill:red', a), /".a\{fill:red" in its <style>/],
    ['an extra closing brace', sheet('.a{fill:red}}', a), /<style>, which is not understood/],
    ['text behind the rules', sheet('.a{fill:red} b', a), /"b" in its <style>/],
    ['an unclosed string', sheet('.a{x:"}.b{y:"}', a), /not understood/],
    ['a string with a semicolon', sheet('.a{x:";fill:red"}', a), /not understood/],
    ['an unclosed bracket', sheet('.a{fill:rgb(1,2}.b{x:)}', a), /not understood/],
    ['an element inside it', sheet('.a{fill:red}<b/>', a), /<b> in a <style>/],
    ['the media type print only', svg(`<style media="print">.a{fill:red}</style>${a}`), /<style> for the media print/],
    ['a custom entity', sheet('.a{fill:&red;}', a), /entity/],
  ]
  for (const [name, text, word] of refusals) test(name, () => assert.throws(() => clean(text), word))
})

describe('the cost of a style sheet is bounded:', () => {
  const groups = (count: number, attributes: string) => times(count, () => `<g ${attributes}/>`)
  const bombs: [name: string, text: string, word: RegExp][] = [
    [
      'rules',
      sheet(
        times(5001, () => '.a{x:y}'),
        '',
      ),
      /more than 5000 selectors/,
    ],
    ['selectors', sheet(`${'a,'.repeat(120_000)}a{x:y}`, ''), /more than 5000 selectors/],
    [
      'rules on each element',
      sheet('.a{r:1}'.repeat(5000), groups(4000, 'class="a"')),
      /more than 1,048,576 characters/,
    ],
    ['declarations on each element', sheet(`g{${'r:1;'.repeat(40_000)}}`, groups(4000, '')), /more than 1,048,576/],
    ['blanks', sheet(`.a${' '.repeat(250_000)}b{r:1}`, ''), /selector/],
    ['text', sheet('a'.repeat(250_000), ''), /not understood/],
    ['quotes', sheet(`.a{${'"\''.repeat(125_000)}}`, ''), /not understood/],
    ['brackets', sheet(`.a{${'('.repeat(250_000)}}`, ''), /not understood/],
    ['unclosed URLs', sheet('url('.repeat(60_000), ''), /outside/],
    ['exclamation marks', sheet(`g{fill:${'! '.repeat(120_000)}}`, '<g/>'), /not understood/],
    [
      'a wide stroke',
      sheet('.a{stroke:red;stroke-width:1000}', '<path class="a" d="M0 0L8 8"/>'),
      /exceeds its viewBox/,
    ],
    ['opacities', sheet('.a{opacity:.5}', rect('class="a"').repeat(40)), /paints over itself/],
    [
      'gradients',
      sheet('.a{fill:url(#g)}', `<radialGradient id="g"/>${rect('class="a"').repeat(20)}`),
      /paints over itself 120 times/,
    ],
    [
      'clip paths',
      sheet(
        '.a{clip-path:url(#c)}',
        `<clipPath id="c">${rect('').repeat(50)}</clipPath>${`<g class="a">${rect('')}</g>`.repeat(2)}`,
      ),
      /paints over itself/,
    ],
    [
      'a clipped clip path',
      sheet('.a{clip-path:url(#c)}', `<clipPath id="c">${rect('class="a"')}</clipPath>`),
      /must not clip/,
    ],
  ]
  for (const [name, text, word] of bombs) test(name, () => assert.throws(() => clean(text), word))

  test('the largest style sheet within these bounds is drawn', () => {
    const classes = Array.from({ length: 5000 }, (_, at) => `a${at}`)
    const lists = Array.from({ length: 25 }, (_, at) => classes.slice(at * 200, at * 200 + 200))
    const elements = lists.map((list) => `<g class="${list.join(' ')}"/>`.repeat(5))
    assert.match(clean(sheet(`.${classes.join(',.')}{fill:red}`, elements.join(''))), /<g fill="red"/)
    assert.match(clean(sheet('/* '.repeat(83_000), rect(''))), /<rect/)
  })
})
