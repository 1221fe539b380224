/** The disk of the file, of which a part is reserved. */
export interface DiskSpace {
  /** Whether it is full, so that only urgent changes are made. */
  isFull: () => boolean
  /** Makes it full, and releases the reserve. */
  release: () => void
}
