import type { WritePreview } from '../preview.ts'

/** It redirects: there is no page to show. */
export const preview: WritePreview = () => undefined
