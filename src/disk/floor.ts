const GIB = 2 ** 30
const SHARE = 0.05

/** Bytes of a file system. */
export interface Space {
  free: number
  size: number
}

/** Below which free space raw scans only count: a number of bytes, or by the size of the disk. */
export type DiskFloor = number | 'auto'

/** The floor of a disk: a twentieth of it, and a gibibyte at most, so that a small disk is not below it when it is empty. */
export function floorOf(floor: DiskFloor, { size }: Pick<Space, 'size'>): number {
  return floor === 'auto' ? Math.min(GIB, Math.floor(size * SHARE)) : floor
}
