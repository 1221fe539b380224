import type { Language } from '../../texts/language.ts'

/** What a visitor of a link sees, line by line, as the create page draws it in the frame of a phone. */
export interface Preview {
  lines: PreviewLine[]
  /** The colour of its buttons, `#rrggbb`; that of the pages when absent. */
  accent?: string
}

/** A line; `press` is a button. One without a text is left out. */
export interface PreviewLine {
  look: 'initials' | 'name' | 'text' | 'press' | 'plain'
  text: string
}

/**
 * Writes the preview of a kind from what is typed into its form; undefined for a kind that redirects. It stands in
 * `<kind>/preview.ts`, with what the kind's page says in the same words: browsers run it, too, so it uses nothing of Node.
 * @param texts the kind's own, `preview` in its texts
 */
export type WritePreview = (
  form: URLSearchParams,
  texts: Record<string, string>,
  language: Language,
) => Preview | undefined

/** What was typed into an input, without blanks around it. */
export function typedText(form: URLSearchParams, name: string): string {
  return form.get(name)?.trim() ?? ''
}
