import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sharedWindows, testsIn } from '../../../test/support/browser.ts'
import { endOfFile } from '../../../test/support/cleanup.ts'
import { rasterizer } from '../../../test/support/rasterizer.ts'
import { svg, sheet, rect, clean } from '../../../test/support/style-sheets.ts'

// Images in data URIs have no origin, and load nothing else.
const inBrowser = testsIn(sharedWindows(endOfFile(), () => 'null'))

function pixelsOf(text: string): Buffer {
  return Buffer.from(rasterizer.pixels(text).rgba)
}

/** The cleaned drawing at the place of a logo. */
function asLogo(text: string): string {
  const markup = clean(text)
  assert.doesNotMatch(markup, /<style|class=|style=/)
  return `<svg xmlns="http://www.w3.org/2000/svg" width="32" height="32"><svg width="32" height="32" ${markup}</svg>`
}

function cleanPixels(text: string): Buffer {
  return pixelsOf(asLogo(text))
}

/** The colour in the middle of a cleaned drawing. */
function colorOf(text: string): string {
  return middleOf(cleanPixels(text))
}

function middleOf(pixels: Buffer): string {
  return pixels.toString('hex', (16 * 32 + 16) * 4, (16 * 32 + 17) * 4)
}

const [RED, BLUE, BLACK, NONE] = ['ff0000ff', '0000ffff', '000000ff', '00000000']

/** Files as programs write them, and the same drawings in attributes alone. */
const files: [program: string, file: string, plain: string][] = [
  [
    'Illustrator',
    `<?xml version="1.0" encoding="UTF-8"?>${svg(
      '<defs><style>.cls-1{fill:#e30613;}.cls-1,.cls-2{fill-rule:evenodd;}.cls-2{fill:url(#linear-gradient);opacity:.8;}' +
        '.cls-3{clip-path:url(#clippath);isolation:isolate;}</style><linearGradient id="linear-gradient" x1="0" y1="4" x2="8" ' +
        'y2="4" gradientUnits="userSpaceOnUse"><stop offset="0" stop-color="#004f9f"/><stop offset="1" stop-color="#009fe3"/>' +
        '</linearGradient><clipPath id="clippath"><path d="M0 0h6v8H0z"/></clipPath></defs><title>Logo</title>' +
        '<g id="Layer_2" data-name="Layer 2"><g class="cls-3"><path class="cls-1" d="M0 0h8v8H0zM2 2h4v4H2z"/>' +
        '<path class="cls-2" d="M1 1h6v6H1zM3 3h2v2H3z"/></g></g>',
      'id="Layer_1" data-name="Layer 1" viewBox="0 0 8 8"',
    )}`,
    svg(
      '<linearGradient id="a" x1="0" y1="4" x2="8" y2="4" gradientUnits="userSpaceOnUse"><stop offset="0" ' +
        'stop-color="#004f9f"/><stop offset="1" stop-color="#009fe3"/></linearGradient><clipPath id="b">' +
        '<path d="M0 0h6v8H0z"/></clipPath><g clip-path="url(#b)"><path fill="#e30613" fill-rule="evenodd" ' +
        'd="M0 0h8v8H0zM2 2h4v4H2z"/><path fill="url(#a)" opacity=".8" fill-rule="evenodd" d="M1 1h6v6H1zM3 3h2v2H3z"/></g>',
    ),
  ],
  [
    'an older Illustrator',
    `<?xml version="1.0" encoding="utf-8"?>
<!-- Generator: Adobe Illustrator 24.0.1, SVG Export Plug-In . SVG Version: 6.00 Build 0)  -->
${svg(
  `<style type="text/css"><![CDATA[
	.st0{fill:#FFF;stroke:#1D71B8;stroke-width:2;stroke-miterlimit:10;}
	.st1{fill:none;}
]]></style><circle class="st0" cx="4" cy="4" r="3"/><rect class="st1" width="8" height="8"/>`,
  'version="1.1" id="Ebene_1" x="0px" y="0px" viewBox="0 0 8 8" style="enable-background:new 0 0 8 8;" xml:space="preserve"',
)}`,
    svg('<circle fill="#FFF" stroke="#1D71B8" stroke-width="2" stroke-miterlimit="10" cx="4" cy="4" r="3"/>'),
  ],
  [
    'Affinity',
    svg(
      '<style>g{fill-rule:evenodd}</style><g id="Artboard1" serif:id="Artboard 1" transform="matrix(.5,0,0,.5,1,1)">' +
        '<rect x="0" y="0" width="12" height="12" style="fill:none;"/><path class="dark" d="M0,0L12,0L12,12L0,12ZM3,3L9,3L9,9L3,9Z" ' +
        'style="fill:rgb(35,31,32);fill-rule:nonzero;"/></g>',
      'viewBox="0 0 8 8" xml:space="preserve" xmlns:serif="http://www.serif.com/" ' +
        'style="fill-rule:evenodd;clip-rule:evenodd;stroke-linejoin:round;stroke-miterlimit:2;"',
    ),
    svg('<path transform="matrix(.5 0 0 .5 1 1)" fill="rgb(35,31,32)" d="M0,0L12,0L12,12L0,12ZM3,3L9,3L9,9L3,9Z"/>'),
  ],
  [
    'Figma',
    svg(
      '<style>.a { fill: #FF7262; fill-opacity: 1 }</style><g clip-path="url(#clip0_1_2)"><path class="a" d="M0 0H8V8H0V0Z" ' +
        'fill="#000"/><path d="M2 2H6V6H2V2Z" fill="#0ACF83" style="fill:#0ACF83;fill-opacity:1;"/></g><defs><clipPath id="clip0_1_2"><rect width="7" height="7" fill="white"/></clipPath></defs>',
      'viewBox="0 0 8 8" fill="none"',
    ),
    svg(
      '<clipPath id="a"><rect width="7" height="7"/></clipPath><g clip-path="url(#a)"><path d="M0 0H8V8H0z" ' +
        'fill="#FF7262"/><path d="M2 2H6V6H2z" fill="#0ACF83"/></g>',
    ),
  ],
]

const cascade: [name: string, text: string, color: string][] = [
  ['a rule over an attribute', sheet('.a{fill:blue}', rect('class="a" fill="red"')), BLUE],
  ['a style attribute over a rule', sheet('.a{fill:red}', rect('class="a" style="fill:blue"')), BLUE],
  [
    'an important rule over a style attribute',
    sheet('.a{fill:blue!important}', rect('class="a" style="fill:red"')),
    BLUE,
  ],
  [
    'an important style attribute over an important rule',
    sheet('.a{fill:red !important}', rect('class="a" style="fill:blue!important"')),
    BLUE,
  ],
  [
    'an important rule over a more specific one',
    sheet('rect{fill:blue!important}#b{fill:red}', rect('class="a" id="b"')),
    BLUE,
  ],
  ['the later of two rules', sheet('.b{fill:red}.a{fill:blue}', rect('class="a b"')), BLUE],
  ['the later of two declarations', sheet('.a{fill:red;fill:blue}', rect('class="a"')), BLUE],
  ['a class over a type', sheet('.a{fill:blue}rect{fill:red}', rect('class="a"')), BLUE],
  ['a class of a type over a class', sheet('rect.a{fill:blue}.a{fill:red}', rect('class="a"')), BLUE],
  ['an id over a class of a type', sheet('#b{fill:blue}rect.a{fill:red}', rect('class="a" id="b"')), BLUE],
  ['an id of a type over an id', sheet('rect#b{fill:blue}#b{fill:red}', rect('id="b"')), BLUE],
  ['a class of another type', sheet('path.a{fill:red}', rect('class="a"')), BLACK],
  ['a class in another case', sheet('.A{fill:red}', rect('class="a"')), BLACK],
  ['a type in another case', sheet('RECT{fill:red}', rect('')), BLACK],
  ['a list of selectors', sheet('circle , .b\n,.a { fill : blue ; }', rect('class="a"')), BLUE],
  ['classes between unusual white space', sheet('.b{fill:blue}', rect('class="\n a\t\tb  a&#10;"')), BLUE],
  [
    'classes with the names of object properties',
    sheet('.__proto__{fill:blue}.constructor{cursor:y}', rect('class="constructor __proto__"')),
    BLUE,
  ],
  ['a class with non-ASCII letters', sheet('.größe-1_\u{20000}{fill:blue}', rect('class="größe-1_\u{20000}"')), BLUE],
  ['a colour of the group', sheet('.a{fill:inherit}g{fill:blue}', `<g>${rect('class="a" fill="red"')}</g>`), BLUE],
  ['the current colour', sheet('g{color:blue}.a{fill:currentColor}', `<g>${rect('class="a"')}</g>`), BLUE],
  ['hidden shapes', sheet('.a{display:none}', rect('class="a"')), NONE],
  [
    'a shape that a later rule shows again',
    sheet('.a{display:none}.b{display:inline}', rect('class="a b" fill="red"')),
    RED,
  ],
  ['a rule for the root', sheet('svg{fill:blue}g{fill:red}', rect('')), BLUE],
  ['comments', sheet("/* .a{fill:red} it's */.a{/**/fill:blue/*;*/}/*", rect('class="a"')), BLUE],
  ['an empty sheet', svg(`<style/><style> </style>${rect('fill="red"')}`), RED],
  ['an empty rule', sheet('.a{}.a{;}', rect('class="a" fill="red"')), RED],
  ['two sheets', svg(`<style>.a{fill:red}</style><style>.a{fill:blue}</style>${rect('class="a"')}`), BLUE],
  ['a sheet behind it', svg(`${rect('class="a"')}<style>.a{fill:blue}</style>`), BLUE],
  ['a sheet in a group', svg(`<g><style>.a{fill:blue}</style></g>${rect('class="a"')}`), BLUE],
  ['a sheet in metadata', svg(`<metadata><style>.a{fill:blue}</style></metadata>${rect('class="a"')}`), BLUE],
  ['a sheet for screens', svg(`<style media="screen" type="text/css">.a{fill:blue}</style>${rect('class="a"')}`), BLUE],
  ['a sheet of another language', svg(`<style type="text/less">@a:1;</style>${rect('fill="red"')}`), RED],
  ['character references', sheet('.a{fill:&#98;lue}', rect('class="a"')), BLUE],
  [
    'a gradient and its stops',
    sheet(
      '.a{stop-color:blue}.b{fill:url( "#g" )}',
      `<linearGradient id="g"><stop class="a"/></linearGradient>${rect('class="b"')}`,
    ),
    BLUE,
  ],
  ['fonts, which apply to no text', sheet('text,.a{font-family:"A B", \'C\'}.a{fill:blue}', rect('class="a"')), BLUE],
]

describe('an SVG logo with a style sheet is drawn', () => {
  inBrowser('as a browser draws the file', async (page) => {
    const drawn = async (text: string) => {
      const source = `data:image/svg+xml;base64,${Buffer.from(text).toString('base64')}`
      const pixels = await page.evaluate<number[]>(`(async () => {
        const image = new Image()
        image.src = '${source}'
        await image.decode()
        const canvas = new OffscreenCanvas(32, 32).getContext('2d')
        canvas.drawImage(image, 0, 0)
        return [...canvas.getImageData(0, 0, 32, 32).data]
      })()`)
      return Buffer.from(pixels)
    }
    for (const [name, text, color] of cascade) {
      const pixels = await drawn(text)
      assert.equal(middleOf(pixels), color, name)
      assert.ok(pixels.equals(await drawn(asLogo(text))), name)
    }
    for (const [program, text] of files) {
      assert.ok((await drawn(text)).equals(await drawn(asLogo(text))), program)
    }
  })

  for (const [program, file, plain] of files) {
    test(`as ${program} writes it, like the same one with attributes`, () => {
      const pixels = cleanPixels(file)
      assert.ok(pixels.some((each) => each !== 0))
      assert.ok(pixels.equals(pixelsOf(plain)))
    })
  }

  for (const [name, text, color] of cascade) test(`with ${name}`, () => assert.equal(colorOf(text), color))

  test('in several parts with an XML comment between them, which is ignored', () => {
    const text = sheet('.a{fill:<!-- red}.a{fill: --><![CDATA[blue]]>}', rect('class="a"'))
    assert.ok(cleanPixels(text).equals(pixelsOf(svg(rect('fill="blue"')))))
  })

  test('without rules that match nothing, even if they would be refused', () => {
    assert.equal(colorOf(sheet('.b{filter:url(#f);mix-blend-mode:multiply}', rect('fill="red"'))), RED)
  })
})
