import type { Metric } from '../http/metric.ts'
import { floorOf, type DiskFloor, type Space } from './low.ts'

interface DiskState {
  space: () => Space
  floor: DiskFloor
  isLow: () => boolean
  isScarce: () => boolean
  untold: () => number
  isFull: () => boolean
  reserved: () => number
}

export function diskMetrics(needs: DiskState): Metric[] {
  const { space, floor, isLow, isFull, reserved } = needs
  return [
    {
      name: 'quirl_disk_free_bytes',
      help: 'What is free on the disk of DATA_DIR, a few seconds ago',
      type: 'gauge',
      read: () => space().free,
    },
    {
      name: 'quirl_disk_floor_bytes',
      help: 'Below which free space visits only count (DISK_FLOOR)',
      type: 'gauge',
      read: () => floorOf(floor, space()),
    },
    {
      name: 'quirl_disk_low',
      help: '1 while visits count but are not stored one by one, because less than that is free',
      type: 'gauge',
      read: () => Number(isLow()),
    },
    ...scarceMetrics(needs),
    {
      name: 'quirl_disk_reserve_bytes',
      help: 'What the reserve holds for when the disk is full; 0 while it is released, and with PostgreSQL',
      type: 'gauge',
      read: reserved,
    },
    {
      name: 'quirl_disk_full',
      help: '1 while the disk is full: links can be paused, deleted and blocked, and nothing else',
      type: 'gauge',
      read: () => Number(isFull()),
    },
  ]
}

function scarceMetrics({ isScarce, untold }: Pick<DiskState, 'isScarce' | 'untold'>): Metric[] {
  return [
    {
      name: 'quirl_disk_scarce',
      help: '1 while new visitors are not counted either, because less than half of that is free',
      type: 'gauge',
      read: () => Number(isScarce()),
    },
    {
      name: 'quirl_scans_untold_total',
      help: 'Visits of which it is not known whether their visitors were new that day, for that reason, since the start',
      type: 'counter',
      read: untold,
    },
  ]
}
