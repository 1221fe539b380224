import type { openDiskMemory } from './memory.ts'

/** Below this part of the floor, keys of visitors are not stored either, which take a third of the room of a raw scan. */
const SCARCE_SHARE = 1 / 2
/** The state of a low disk ends once so much more is free than where it began, so that it does not come and go. */
const MORE = 1.1

const GIB = 2 ** 30
const FLOOR_SHARE = 0.05

/** Below which free space raw scans only count: a number of bytes, or by the size of the disk. */
export type DiskFloor = number | 'auto'

/** Bytes of a file system. */
export interface Space {
  free: number
  size: number
}

/** The floor of a disk: a twentieth of it, and a gibibyte at most, so that a small disk is not below it when it is empty. */
export function floorOf(floor: DiskFloor, { size }: Pick<Space, 'size'>): number {
  return floor === 'auto' ? Math.min(GIB, Math.floor(size * FLOOR_SHARE)) : floor
}

const LOW =
  'the disk of DATA_DIR is nearly full: visits count as before, but are no longer stored one by one, until there is room'
const LOW_NO_MORE = 'the disk of DATA_DIR has room again: visits are stored one by one'
const LOW_DETAIL = 'the disk of DATA_DIR is nearly full: visits count, but are not stored one by one'
const SCARCE =
  'the disk of DATA_DIR has less than half of the floor free: visits count, but who comes for the first time that day is not counted as a visitor, until there is room'
const SCARCE_NO_MORE = 'the disk of DATA_DIR has more than half of the floor free again: new visitors are counted'
const SCARCE_DETAIL = `${LOW_DETAIL}, and new visitors are not counted`

/** What the low state needs of the rest of the program. */
interface LowNeeds {
  floor: DiskFloor
  state: ReturnType<typeof openDiskMemory>
  log: Record<'warn', (details: object, text: string) => void>
}

/** Whether visits take less room than usual, because little is free: below the floor, and below half of it. */
export function createLowState({ floor, state, log }: LowNeeds) {
  function judgeLow({ free }: Space, least: number): void {
    const isLow = free + state.reusable() < (state.isLow() ? least * MORE : least)
    if (isLow === state.isLow()) return
    state.setLow(isLow)
    const details = { free_bytes: free, reusable_bytes: state.reusable(), floor_bytes: least }
    log.warn(details, isLow ? LOW : LOW_NO_MORE)
  }

  /** Keys of visitors have files of their own, which room inside of `scans.db` is not for. */
  function judgeScarce({ free }: Space, least: number): void {
    const isScarce = free < (state.isScarce() ? least * MORE : least)
    if (isScarce === state.isScarce()) return
    state.setScarce(isScarce)
    log.warn({ free_bytes: free, least_bytes: least }, isScarce ? SCARCE : SCARCE_NO_MORE)
  }

  return {
    judge(space: Space): void {
      const least = floorOf(floor, space)
      judgeLow(space, least)
      judgeScarce(space, least * SCARCE_SHARE)
    },
    detail(): string | undefined {
      if (state.isScarce()) return SCARCE_DETAIL
      return state.isLow() ? LOW_DETAIL : undefined
    },
  }
}
