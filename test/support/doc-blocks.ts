import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A fenced block of a page. */
export interface Block {
  /** The page and the line of the fence, for messages. */
  place: string
  page: string
  /** The nearest heading above it, or '' */
  heading: string
  language: string
  text: string
}

const root = join(import.meta.dirname, '../..')
const FENCED = /^( *)```(\w*)\n(.*?)^ *```$/gms

/** Every fenced block of README.md and docs/*.md, without the indentation of the list that it is in. */
export function documentedBlocks(): Block[] {
  return ['README.md', ...globSync('docs/*.md', { cwd: root }).toSorted()].flatMap((page) =>
    blocksOf(page, readFileSync(join(root, page), 'utf8')),
  )
}

/** The blocks of one page. */
export function blocksOf(page: string, markdown: string): Block[] {
  return Array.from(markdown.matchAll(FENCED), ({ 1: indent = '', 2: language = '', 3: text = '', index }) => {
    const above = markdown.slice(0, index).replaceAll(FENCED, '')
    const heading = Array.from(above.matchAll(/^#+ (.*)$/gm)).at(-1)?.[1] ?? ''
    const line = markdown.slice(0, index).split('\n').length
    return { place: `${page}:${line}`, page, heading, language, text: text.replaceAll(RegExp(`^${indent}`, 'gm'), '') }
  })
}

/** What a shell runs: a `console` block shows it after a prompt. */
export function shellOf({ language, text }: Block): string {
  return language === 'console' ? text.replaceAll(/^\$ /gm, '') : text
}
