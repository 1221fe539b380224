import type { Drawer } from '../design.ts'

/** How the files of an archive of codes are drawn. */
export interface FileImage {
  format: 'svg' | 'png' | 'pdf'
  /** Pixels of width, of PNG and SVG. */
  size?: number | undefined
  /** Pixels per inch, for the metadata of PNG. */
  dpi?: number | undefined
  /** Width of a PDF. */
  millimetres?: number | undefined
}

/** The code of a link that becomes a file of an archive. */
export interface CodeFile {
  code: string
  origin: string
  /** Whether its row wanted a design. */
  hasDesign: boolean
}

/** Who waits for the files, until they disconnect. */
export type Waiting = Drawer & { signal?: AbortSignal | undefined }

/**
 * Draws the same image as at the link's own URL.
 * @throws {Problem} 400 when it cannot be drawn, 503 when too many images wait for long
 */
export type DrawCodeFile = (file: CodeFile, image: FileImage, waiting: Waiting) => Promise<Uint8Array>
