import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** The files of `assets` that each stylesheet consists of, in order. */
const parts = {
  site: 'tokens base forms shell home owner created settings stats designer bulk domains docs',
  visitor: 'tokens base forms visitor',
}

export type StylesheetName = keyof typeof parts

export interface Stylesheet {
  /** Has a hash of the content, so that caches may keep the file for ever. */
  path: string
  content: Buffer
}

/** The stylesheet of the pages of the site, and the smaller one of the pages that visitors see. */
export const stylesheets: Record<StylesheetName, Stylesheet> = {
  site: readStylesheet('site'),
  visitor: readStylesheet('visitor'),
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
