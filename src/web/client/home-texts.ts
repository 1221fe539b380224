/** The texts of the start page's script (`live` in `texts/home.ts`). */
export type HomeTexts = Record<
  | 'scan'
  | 'picture'
  | 'placeholder'
  | 'chosen'
  | 'final'
  | 'file'
  | 'checking'
  | 'free'
  | 'taken'
  | 'reserved'
  | 'invalid'
  | 'unknown'
  | 'phone',
  string
> & {
  /** What the preview of each kind says. */
  previews: Record<string, Record<string, string>>
}
