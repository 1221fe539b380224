import type { Schema } from './from-schema.ts'

/** A body and its description. */
export interface Body {
  label: string
  body: string
}

/** `piece`, again and again, in about `size` characters. */
export function fill(size: number, piece: string): string {
  return piece.repeat(Math.max(1, Math.floor(size / piece.length)))
}

/** `piece(0)`, `piece(1)` …, joined by `between`, in about `size` characters. */
export function fillWith(size: number, piece: (at: number) => string, between = ','): string {
  const parts: string[] = []
  for (let length = 0, at = 0; ; at++) {
    const part = piece(at)
    length += part.length + between.length
    if (length > size) return parts.join(between)
    parts.push(part)
  }
}

const quoted = (text: string) => JSON.stringify(text)

/** `piece`, again and again, with commas in between, in about `size` characters. */
const repeated = (size: number, piece: string) => fill(size, `${piece},`).slice(0, -1)

/** JSON values that cost a parser more than others of their size. */
const jsonValues: Record<string, (size: number) => string> = {
  'nested arrays': (n) => '['.repeat(n / 2) + ']'.repeat(n / 2),
  'nested objects': (n) => `${'{"a":'.repeat(n / 6)}1${'}'.repeat(n / 6)}`,
  'empty objects': (n) => `[${repeated(n, '{}')}]`,
  'empty arrays': (n) => `[${repeated(n, '[]')}]`,
  'empty texts': (n) => `[${repeated(n, '""')}]`,
  numbers: (n) => `[${repeated(n, '1')}]`,
  'wrong objects': (n) => `[${repeated(n, '{"label":1,"url":2}')}]`,
  names: (n) => `{${fillWith(n, (at) => `"a${at}":1`)}}`,
  'texts by name': (n) => `{${fillWith(n, (at) => `"a${at}":""`)}}`,
  'objects by name': (n) => `{${fillWith(n, (at) => `"a${at}":{}`)}}`,
  'one name again and again': (n) => `{${repeated(n, '"a":1')}}`,
  'a long name': (n) => `{${quoted(fill(n, 'a'))}:1}`,
  'a long number': (n) => fill(n, '9'),
  blanks: (n) => `[${fill(n, ' ')}]`,
  'line ends': (n) => quoted(fill(n / 2, '\n')),
  escapes: (n) => `"${fill(n, '\\u0041')}"`,
  surrogates: (n) => `"${fill(n, '\\ud800')}"`,
  backslashes: (n) => `"${fill(n, '\\\\')}"`,
  'escaped quotes': (n) => `"${fill(n, '\\"')}"`,
  'a text that does not end': (n) => `"${fill(n, '\\')}`,
  letters: (n) => quoted(fill(n, 'a')),
  spaces: (n) => quoted(`a${fill(n, ' ')}a`),
  markup: (n) => quoted(fill(n, '<')),
  dots: (n) => quoted(`https://${fill(n, 'a.')}`),
  'at signs': (n) => quoted(`https://${fill(n, 'a@')}`),
  slashes: (n) => quoted(`https://example.com/${fill(n, '/')}`),
  'per cents': (n) => quoted(`https://example.com/?${fill(n, '%25')}`),
  accents: (n) => quoted(`https://${fill(n / 2, 'ä')}.example`),
  hashes: (n) => quoted(fill(n, '#')),
}

const isWhole = process.env['FAULTS'] === 'all'

/**
 * Pairs fields (or other positions) with values: each with each in `npm run test:faults`; in the gate as few as have each
 * field and each value.
 */
function pairs<Field, Value>(fields: readonly Field[], values: readonly Value[]): [Field, Value][] {
  if (isWhole) return fields.flatMap((field) => values.map((value): [Field, Value] => [field, value]))
  const count = fields.length === 0 ? 0 : Math.max(fields.length, values.length)
  const at = <Item>(items: readonly Item[], index: number) => items[index % items.length] as Item
  return Array.from({ length: count }, (_, index) => [at(fields, index), at(values, index)])
}

/** A position in a body at which a value of some size is sent. */
export interface Position {
  label: string
  size: number
  write: (value: string) => string
}

/** The value of a field of an object. */
export function fieldPosition(name: string, size: number): Position {
  return { label: `as ${name}`, size, write: (value) => `{${JSON.stringify(name)}:${value}}` }
}

/** Costly values at positions. */
export function jsonBodies(positions: Position[]): Body[] {
  return pairs(positions, Object.entries(jsonValues)).map(([position, [label, value]]) => ({
    label: `${label} ${position.label}`,
    body: position.write(value(position.size - 100)),
  }))
}

/** The names of the fields of a schema and of all its alternatives. */
export function fieldNames(schema: Schema): string[] {
  const inside = [...(schema.anyOf ?? []), ...(schema.items ? [schema.items] : [])].flatMap(fieldNames)
  return [...new Set([...Object.keys(schema.properties ?? {}), ...inside])]
}

export function formBodies(size: number, names: string[]): Body[] {
  const values: Body[] = [
    { label: 'names without values', body: fill(size, 'a&') },
    { label: 'nothing but separators', body: fill(size, '&') },
    { label: 'equals signs', body: fill(size, '=') },
    { label: 'one pair again and again', body: fill(size, 'a=b&') },
    { label: 'many names', body: fillWith(size, (at) => `a${at}=`, '&') },
    { label: 'a long name', body: fill(size, 'a') },
    { label: 'per cents', body: `a=${fill(size - 2, '%')}` },
    { label: 'escaped bytes', body: `a=${fill(size - 2, '%80')}` },
  ]
  const texts = { letters: 'a', markup: '<', blanks: '+', 'line ends': '%0D%0A', surrogates: '%ED%A0%80', dots: 'a.' }
  const valuesOfField = [
    (name: string) => ({ label: `${name} again and again`, body: fill(size, `${name}=a&`) }),
    ...Object.entries(texts).map(([label, text]) => (name: string) => ({
      label: `${label} in ${name}`,
      body: `${name}=${fill(size - name.length - 1, text)}`,
    })),
  ]
  return [...values, ...pairs(names, valuesOfField).map(([name, valueOf]) => valueOf(name))]
}

export const BOUNDARY = 'boundary'

export function multipartBodies(size: number, names: string[]): Body[] {
  const part = (head: string, text: string) =>
    `--${BOUNDARY}\r\nContent-Disposition: form-data; ${head}\r\n\r\n${text}\r\n`
  const end = `--${BOUNDARY}--\r\n`
  const values: Body[] = [
    { label: 'many parts', body: fill(size - 100, part('name="a"', '')) + end },
    { label: 'boundaries alone', body: fill(size, `--${BOUNDARY}\r\n`) },
    { label: 'half boundaries', body: fill(size, `\r\n--${BOUNDARY.slice(0, -1)}`) },
    { label: 'line ends', body: fill(size, '\r\n') },
    { label: 'a long name', body: part(`name="${fill(size - 200, 'a')}"`, '') + end },
    { label: 'a name of backslashes', body: part(`name="${fill(size - 200, '\\')}"`, '') + end },
    { label: 'blanks in a header', body: part(`name="a"${fill(size - 200, ' ')}`, '') + end },
    { label: 'semicolons in a header', body: part(`name="a"${fill(size - 200, ';')}`, '') + end },
    { label: 'many headers', body: `--${BOUNDARY}\r\n${fill(size - 200, 'a:b\r\n')}\r\n\r\n${end}` },
    { label: 'one that does not end', body: part('name="a"', fill(size - 200, 'a')) },
  ]
  const text = fill(size - 300, '<')
  const valuesOfField = [
    (name: string) => ({ label: `markup in ${name}`, body: part(`name="${name}"`, text) + end }),
    (name: string) => ({ label: `a file as ${name}`, body: part(`name="${name}"; filename="a.svg"`, text) + end }),
  ]
  return [...values, ...pairs(names, valuesOfField).map(([name, valueOf]) => valueOf(name))]
}

export function csvBodies(size: number): Body[] {
  return [
    { label: 'columns', body: fill(size, 'a,') },
    { label: 'a known column, repeated', body: fill(size, 'target,') },
    { label: 'quotes', body: fill(size, '"') },
    { label: 'cells of quotes', body: `target\n"${fill(size - 10, '""')}"` },
    { label: 'line ends', body: `target\n${fill(size - 10, '\n')}` },
    { label: 'rows', body: `target\n${fill(size - 10, 'a\n')}` },
    { label: 'empty cells', body: `target,title\n${fill(size - 20, ',\n')}` },
    { label: 'wide rows', body: `target\n${fill(size - 10, ',')}` },
    { label: 'a long cell', body: `target\n${fill(size - 10, 'a')}` },
    { label: 'a quote that stays open', body: `target\n"${fill(size - 10, 'a\n')}` },
    { label: 'semicolons, commas and tabs', body: fill(size, ',;\t') },
    { label: 'blanks', body: `target${fill(size - 10, ' ')}` },
    { label: 'formulas', body: `target,title\n${fill(size - 20, 'a,"=1\n=1"\n')}` },
  ]
}

/** Pages in about `size` bytes that are right, whose links and the parameters set in each of them are as long as they may be. */
export function pageBodies(size: number): Body[] {
  const utm = Object.fromEntries(Array.from('abcdefghij', (name) => [name, 'ü'.repeat(200)]))
  return ['+&', '%a&', '%61&', '&', '%25', 'ü', 'a/', '/../', 'a;'].map((piece) => {
    const url = `https://${fill(100, 'a.')}example.com/?${fill(1900, piece)}`
    const count = Math.min(100, Math.floor((size - 10_000) / (Buffer.byteLength(url) + 30)))
    const links = Array.from({ length: count }, (_, at) => ({
      label: 'a',
      url: url.replace('?', at % 2 === 0 ? '?' : ''),
    }))
    return { label: `a page of ${piece}`, body: JSON.stringify({ kind: 'page', headline: 'x', links, utm }) }
  })
}

/** Header fields that the service reads, with values of up to `size` characters. */
export function headerValues(size: number): Record<string, string>[] {
  const values: [string, string][] = [
    ['accept', fill(size, 'a/b,')],
    ['accept', fill(size, 'text/html;q=0.1,')],
    ['accept', fill(size, ';')],
    ['accept', `a/b${fill(size, ' ')}`],
    ['accept', fill(size, '"')],
    ['accept-encoding', fill(size, 'gzip,')],
    ['accept-language', fill(size, 'de,')],
    ['authorization', `Bearer ${fill(size, ' ')}`],
    ['authorization', `Bearer ${fill(size, 'a ')}`],
    ['content-type', `multipart/form-data;${fill(size, ' ')}`],
    ['content-type', fill(size, ';')],
    ['cookie', fill(size, 'a=b;')],
    ['if-none-match', fill(size, '"a",')],
    ['if-none-match', fill(size, ' ')],
    ['if-match', fill(size, ',')],
    ['idempotency-key', fill(size, 'a')],
    ['referer', `https://${fill(size, 'a.')}`],
    ['referer', fill(size, '/')],
    ['user-agent', fill(size, 'Mozilla/5.0 (')],
    ['user-agent', fill(size, ' ')],
    ['user-agent', fill(size, 'bot')],
    ['x-forwarded-for', fill(size, '1.1.1.1,')],
    ['x-forwarded-for', fill(size, ',')],
    ['x-forwarded-proto', fill(size, ',')],
    ['sec-purpose', fill(size, ' ')],
    ['host', fill(size, 'a.')],
    ['host', fill(size, ':1')],
  ]
  return [...values.map(([name, value]) => ({ [name]: value })), manyHeaders(size)]
}

function manyHeaders(size: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: Math.min(1000, size / 12) }, (_, at) => [`x-${at}`, 'a']))
}

/** Query strings of up to `size` characters. */
export function queries(size: number): string[] {
  return ['a&', '&', '=', 'a=b&', '%', '%25', '+', 'qr=1&', 'data=a&', 'days=1&', '?', '#', '[]'].map((piece) =>
    fill(size, piece),
  )
}

/** Paths of up to `size` characters. */
export function paths(size: number): string[] {
  const pieces = ['/', '/a', 'a', '/.', '/..', '/%2e', '/%2F', '%20', '%C3%A4', 'a.', 'a+', '+', 'a/qr.png', '-']
  return pieces.map((piece) => `/${fill(size, piece)}`)
}
