import { initialsOf } from '../../../lib/initials.ts'
import { typedText, type PreviewLine, type WritePreview } from '../preview.ts'

/** What stands for a page of links: what its owner has chosen, else the initials of its heading. */
export function signOfPage({ headline, avatar }: { headline: string; avatar?: string | undefined }): string {
  return avatar?.trim() ? avatar : initialsOf(headline.split(/\s+/))
}

export const preview: WritePreview = (form, texts) => {
  const headline = typedText(form, 'headline')
  const button = (label: string): PreviewLine => ({ look: 'press', text: label.trim() && label })
  return {
    lines: [
      { look: 'initials', text: signOfPage({ headline, avatar: typedText(form, 'avatar') }) },
      { look: 'name', text: headline || (texts['headline'] ?? '') },
      { look: 'text', text: typedText(form, 'description') },
      ...form.getAll('link_label').map(button),
    ],
    accent: form.get('accent') ?? '',
  }
}
