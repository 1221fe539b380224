import type { Metric } from '../http/metric.ts'
import { floorOf, type DiskFloor, type Space } from './floor.ts'

interface DiskState {
  space: () => Space
  floor: DiskFloor
  isLow: () => boolean
  isFull: () => boolean
  reserved: () => number
}

export function diskMetrics({ space, floor, isLow, isFull, reserved }: DiskState): Metric[] {
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
