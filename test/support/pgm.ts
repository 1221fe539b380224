/** A part of a picture (netpbm's graymap, as `pdftoppm -gray` writes it), in its pixels. */
export function cropPgm(file: Buffer, part: { x: number; y: number; width: number; height: number }): Buffer {
  const { head, width } = readHead(file)
  const [x, y, across, down] = [part.x, part.y, part.width, part.height].map(Math.round) as [
    number,
    number,
    number,
    number,
  ]
  const rows = Array.from({ length: down }, (_, row) => file.subarray(head + (y + row) * width + x).subarray(0, across))
  return Buffer.concat([Buffer.from(`P5\n${across} ${down}\n255\n`), ...rows])
}

export function readHead(file: Buffer): { head: number; width: number; height: number } {
  const [all = '', width, height] = /^P5\s(\d+) (\d+)\s255\s/.exec(file.toString('latin1', 0, 40)) ?? []
  return { head: all.length, width: Number(width), height: Number(height) }
}
