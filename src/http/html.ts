/** Escaped HTML. Only `html` creates it, so that no unescaped text can enter a page. */
export interface Html {
  readonly markup: string
}

type Piece = Html | string | number | false | undefined | null | readonly Piece[]

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&#34;', "'": '&#39;' }

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (char) => entities[char] ?? char)
}

/**
 * A template that escapes every value except other templates, joins lists, and renders absent values as nothing. Its own line
 * ends and indentation are one line end each in the page.
 */
export function html(template: TemplateStringsArray, ...values: Piece[]): Html {
  const strings = unindented(template)
  let markup = strings[0] ?? ''
  for (const [index, value] of values.entries()) markup += render(value) + (strings[index + 1] ?? '')
  return { markup }
}

const unindentedTemplates = new WeakMap<TemplateStringsArray, string[]>()

/** The strings of a template without indentation, a tenth of a page before it is compressed. Each template is one object. */
function unindented(template: TemplateStringsArray): string[] {
  let strings = unindentedTemplates.get(template)
  if (strings === undefined) {
    strings = template.map((text) => text.replaceAll(/\n\s+/g, '\n'))
    unindentedTemplates.set(template, strings)
  }
  return strings
}

function render(piece: Piece): string {
  if (piece === undefined || piece === null || piece === false) return ''
  if (typeof piece === 'string') return escape(piece)
  if (typeof piece === 'number') return String(piece)
  if (!isList(piece)) return piece.markup
  // Unlike `join`, this copies no text, of which a page has much: V8 puts it together once, when the page is sent.
  let markup = ''
  for (const each of piece) markup += render(each)
  return markup
}

function isList(piece: Html | readonly Piece[]): piece is readonly Piece[] {
  return Array.isArray(piece)
}
