import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** The files of `assets` that each stylesheet consists of, in order. */
const parts = {
  site: 'tokens base forms shell home created',
  visitor: 'tokens base forms visitor',
  owner: 'owner settings stats designer',
  stats: 'stats',
  bulk: 'bulk designer',
  collection: 'owner settings stats collection',
  domains: 'domains',
  docs: 'docs',
  print: 'print',
  try: 'try',
}

export type StylesheetName = keyof typeof parts

export interface Stylesheet {
  /** Has a hash of the content, so that caches may keep the file for ever. */
  path: string
  content: Buffer
}

/** That of all pages of the site or of those that visitors see, and what some pages of the site have besides. */
export const stylesheets: Record<StylesheetName, Stylesheet> = {
  site: readStylesheet('site'),
  visitor: readStylesheet('visitor'),
  owner: readStylesheet('owner'),
  stats: readStylesheet('stats'),
  bulk: readStylesheet('bulk'),
  collection: readStylesheet('collection'),
  domains: readStylesheet('domains'),
  docs: readStylesheet('docs'),
  print: readStylesheet('print'),
  try: readStylesheet('try'),
}

function readStylesheet(name: StylesheetName): Stylesheet {
  const files = parts[name].split(' ').map((part) => strip(readAsset(`${part}.css`).toString()))
  const content = Buffer.from(files.join('\n'))
  return { path: `/assets/${name}-${hash('sha256', content, 'hex').slice(0, 16)}.css`, content }
}

/** Removes comments and indentation, an eighth of what is sent. No text in our styles contains what begins a comment. */
function strip(css: string): string {
  const [first = '', ...commented] = css.split('/*')
  const bare = first + commented.map((part) => part.slice(part.indexOf('*/') + 2)).join('')
  const lines = bare.split('\n').map((line) => line.trim())
  return lines.filter((line) => line !== '').join('\n')
}

/** The icon of the service, as SVG, as PNG for home screens (180 and 512 pixels), and as ICO for whoever requests that. */
export const icons = {
  svg: readAsset('quirl.svg'),
  small: readAsset('icon-180.png'),
  large: readAsset('icon-512.png'),
  ico: readAsset('favicon.ico'),
}

function readAsset(name: string): Buffer {
  return readFileSync(new URL(`assets/${name}`, import.meta.url))
}
