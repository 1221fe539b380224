import type { DesignJob } from './design/job.ts'
import { frameBorder } from './design/scene.ts'
import type { Design } from './design/schema.ts'
import type { Images } from './images.ts'
import type { Requester } from './pool/queue.ts'
import { LEAST_MODULE_MM, type PrintedSize } from './printed-size.ts'
import { rasterOf } from './raster.ts'

/** The width of images of links by default, in pixels. */
const SIZE = 512

/**
 * How large the image of a link's code has to be on paper, by the check of the image that `/<code>/qr.svg` is; a designed one that
 * was drawn a moment ago is not drawn again.
 * @throws {Problem} 400 for a design that does not scan any longer, 503 when too many images are being drawn
 */
export async function sizeOfCode(
  { designed }: Pick<Images, 'designed'>,
  { text, design }: { text: string; design: Design | undefined },
  requester: Requester,
): Promise<PrintedSize> {
  // The members in the order in which the image has them, by which drawings are shared.
  const job: DesignJob = {
    text,
    format: 'svg',
    size: SIZE,
    at: design === undefined ? '' : '/design',
    isSaved: design !== undefined,
    design: design ?? {},
  }
  const { report } = await designed(job, requester)
  const margin = report.quiet_zone + frameBorder(design?.frame)
  const module = rasterOf(report.modules, { size: SIZE, margin }).scale / SIZE
  return { module, smallest: Math.max(report.print.smallest_mm, Math.ceil(LEAST_MODULE_MM / module)) }
}
