import type { openDiskMemory } from './memory.ts'

/** Below this part of the floor, keys of visitors are not stored either, which take a third of the room of a raw scan. */
const SCARCE_SHARE = 1 / 2
/**
 * Below this part of it visits take no room at all: their journal grows while the fold is behind, and the counts of many links
 * have many rows. What is left is for links.
 */
const CRITICAL_SHARE = 1 / 4
/** The state of a low disk ends once so much more is free than where it began, so that it does not come and go. */
const MORE = 1.1

const GIB = 2 ** 30
/** The floor as a part of a small disk. */
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
const CRITICAL =
  'the disk of DATA_DIR has less than a quarter of the floor free: visits are answered, and not counted, until there is room'
const CRITICAL_NO_MORE = 'the disk of DATA_DIR has more than a quarter of the floor free again: visits are counted'
const CRITICAL_DETAIL = 'the disk of DATA_DIR is nearly full: visits are not counted'
const SCARCE_DETAIL = `${LOW_DETAIL}, and new visitors are not counted`

/** What the low state needs of the rest of the program. */
interface LowNeeds {
  floor: DiskFloor
  state: ReturnType<typeof openDiskMemory>
  log: Record<'warn', (details: object, text: string) => void>
}

/** A state that begins where less than a part of the floor is free. */
interface Shortage {
  share: number
  is: () => boolean
  set: (is: boolean) => void
  /** What the log says when it begins, and when it ends. */
  texts: readonly [begin: string, end: string]
}

/** Whether visits take less room than usual, because little is free: below the floor, and below half and a quarter of it. */
export function createLowState({ floor, state, log }: LowNeeds) {
  let isCritical = false
  // Neither is about `scans.db`, whose own room is not for files of keys and of the journal.
  const shortages: Shortage[] = [
    { share: SCARCE_SHARE, is: state.isScarce, set: state.setScarce, texts: [SCARCE, SCARCE_NO_MORE] },
    {
      share: CRITICAL_SHARE,
      is: () => isCritical,
      set: (is) => void (isCritical = is),
      texts: [CRITICAL, CRITICAL_NO_MORE],
    },
  ]

  function judgeLow({ free }: Space, least: number): void {
    const isLow = free + state.reusable() < (state.isLow() ? least * MORE : least)
    if (isLow === state.isLow()) return
    state.setLow(isLow)
    const details = { free_bytes: free, reusable_bytes: state.reusable(), floor_bytes: least }
    log.warn(details, isLow ? LOW : LOW_NO_MORE)
  }

  function judgeShortage({ free }: Space, least: number, { is, set, texts: [begin, end] }: Shortage): void {
    const isShort = free < (is() ? least * MORE : least)
    if (isShort === is()) return
    set(isShort)
    log.warn({ free_bytes: free, least_bytes: least }, isShort ? begin : end)
  }

  return {
    judge(space: Space): void {
      const least = floorOf(floor, space)
      judgeLow(space, least)
      for (const shortage of shortages) judgeShortage(space, least * shortage.share, shortage)
    },
    isCritical: () => isCritical,
    detail(): string | undefined {
      if (isCritical) return CRITICAL_DETAIL
      if (state.isScarce()) return SCARCE_DETAIL
      return state.isLow() ? LOW_DETAIL : undefined
    },
  }
}
