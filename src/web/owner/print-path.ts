import { homeTexts } from '../../texts/home.ts'
import { posterTitle } from '../poster-title.ts'
import type { OwnerView } from './view.ts'

/** The address of the page to print. Its title is part of the address, because only owners know it. */
export function printPath({ link, language, printable }: Pick<OwnerView, 'link' | 'language' | 'printable'>): string {
  const fields: Record<string, unknown> = { ...link.payload, target: link.target, title: link.title }
  const title = posterTitle((name) => (typeof fields[name] === 'string' ? fields[name] : ''))
  const query = new URLSearchParams({ paper: 'a4', title: printable(title) || homeTexts[language].live.scan })
  return `/${link.code}/print.pdf?${query.toString()}`
}
