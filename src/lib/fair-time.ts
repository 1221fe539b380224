/** Allocations of which it is forgotten that they are no longer ahead, once there are so many. */
const MANY = 1024

/** Shares the time of something that does one piece of work at a time among allocations, however long each piece takes. */
export interface FairTime {
  /** To be called when an allocation begins to wait: for what it did not want before, it has no claim. */
  join: (allocation: string) => void
  /** The time that it has had, on a clock that all share; who has least is next. In milliseconds. */
  of: (allocation: string) => number
  /** To be called when its work begins. */
  begin: (allocation: string) => void
  /** To be called when its work has ended. */
  spend: (allocation: string, ms: number) => void
}

/** Start-time fair queueing (Goyal, Vin and Cheng, 1996): a newcomer begins with as much as whoever is served has had. */
export function createFairTime(): FairTime {
  /** Of those that had more than `present`, or wait. */
  const had = new Map<string, number>()
  let present = 0
  const of = (allocation: string) => Math.max(had.get(allocation) ?? 0, present)
  return {
    of,
    join: (allocation) => void had.set(allocation, of(allocation)),
    begin(allocation) {
      present = of(allocation)
      if (had.size < MANY) return
      for (const [each, ms] of had) if (ms <= present) had.delete(each)
    },
    spend: (allocation, ms) => void had.set(allocation, of(allocation) + ms),
  }
}
