import { SaxesParser } from 'saxes'
import { TableError } from '../table-error.ts'

/** An element: its name without a prefix, and its attributes. */
export interface OpenElement {
  name: string
  attributes: Record<string, string>
}

export interface Handlers {
  open?: (element: OpenElement) => void
  text?: (text: string) => void
  close?: (name: string) => void
}

/** Characters that are parsed at once. */
const SLICE = 64 * 1024
/** Elements in elements; those of a workbook are a dozen deep. Each takes some hundred bytes while it is open, and three in the file. */
const MAX_DEPTH = 100

/**
 * Parses a part of a workbook. Nothing that a document type declares is read, so that no entity grows.
 * @throws {TableError}
 */
export function parseXml(bytes: Uint8Array, { open, text, close }: Handlers): void {
  const parser = new SaxesParser({ position: false })
  const fail = (cause?: unknown) => new TableError('workbook', 'is damaged: open it, and save it again', { cause })
  parser.on('doctype', () => {
    throw fail()
  })
  parser.on('error', (error) => {
    throw fail(error)
  })
  let depth = 0
  parser.on('opentag', ({ name, attributes }) => {
    if (++depth > MAX_DEPTH) throw fail()
    // Without namespaces, attributes are texts.
    open?.({ name: local(name), attributes: attributes as Record<string, string> })
  })
  parser.on('closetag', ({ name }) => {
    depth--
    close?.(local(name))
  })
  if (text !== undefined) {
    parser.on('text', text)
    parser.on('cdata', text)
  }
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for (let at = 0; at < bytes.length; at += SLICE)
      parser.write(decoder.decode(bytes.subarray(at, at + SLICE), { stream: true }))
    parser.write(decoder.decode()).close()
  } catch (error) {
    throw error instanceof TypeError ? fail(error) : error
  }
}

function local(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}
