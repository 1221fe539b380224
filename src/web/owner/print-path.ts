import type { Link } from '../../links/link.ts'
import { homeTexts } from '../../texts/home.ts'
import type { Language } from '../../texts/language.ts'
import { posterTitle } from '../poster-title.ts'
import type { OwnerView } from './view.ts'

/** The address of the page to print. Its title is part of the address, because only owners know it. */
export function printPath({ link, language, printable }: Pick<OwnerView, 'link' | 'language' | 'printable'>): string {
  const title = printable(titleOf(link)) || scanMe(language)
  return `/${link.code}/print.pdf?${new URLSearchParams({ paper: 'a4', title }).toString()}`
}

/** What a poster of a link says above the code; empty when nothing is known. */
export function titleOf(link: Link): string {
  const fields: Record<string, unknown> = { ...link.payload, target: link.target, title: link.title }
  return posterTitle((name) => (typeof fields[name] === 'string' ? fields[name] : ''))
}

export function scanMe(language: Language): string {
  return homeTexts[language].live.scan
}
