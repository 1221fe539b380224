import type { DesignedImage, DesignJob } from '../design/job.ts'
import type { PictureJob } from '../picture/picture.ts'
import type { PlainImage, PlainJob } from '../plain.ts'

/** What a thread draws. */
export type RenderJob = DesignJob | PlainJob | PictureJob

/** A picture has no further fields. */
export interface PictureImage {
  body: Uint8Array
}

export type DrawnImage = DesignedImage | PlainImage | PictureImage
