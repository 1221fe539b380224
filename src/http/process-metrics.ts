import { readdir } from 'node:fs/promises'
import { performance } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import { openFilesLimit } from './open-files.ts'
import type { AnyMetric } from './metric.ts'

/** Standard metrics of a process and of Node, by the names that dashboards expect. */
export const processMetrics: AnyMetric[] = [
  {
    name: 'process_resident_memory_bytes',
    help: 'Resident memory',
    type: 'gauge',
    read: () => process.memoryUsage.rss(),
  },
  {
    name: 'process_cpu_seconds_total',
    help: 'CPU time, all threads',
    type: 'counter',
    read() {
      const { user, system } = process.cpuUsage()
      return (user + system) / 1e6
    },
  },
  {
    name: 'process_start_time_seconds',
    help: 'Start of the process, since 1970',
    type: 'gauge',
    read: () => performance.timeOrigin / 1000,
  },
  {
    name: 'process_open_fds',
    help: 'Open file descriptors; 0 where the system does not tell',
    type: 'gauge',
    // Read without blocking: there may be as many as connections.
    readSlowly: () =>
      readdir('/proc/self/fd').then(
        ({ length }) => length,
        () => 0,
      ),
  },
  {
    name: 'process_max_fds',
    help: 'File descriptors that may be open; infinite where the system does not tell',
    type: 'gauge',
    read: openFilesLimit,
  },
  {
    name: 'nodejs_heap_size_used_bytes',
    help: 'Heap of the main thread in use',
    type: 'gauge',
    read: () => getHeapStatistics().used_heap_size,
  },
  {
    name: 'nodejs_external_memory_bytes',
    help: 'Memory of the main thread outside of its heap',
    type: 'gauge',
    read: () => process.memoryUsage().external,
  },
  {
    name: 'nodejs_eventloop_active_seconds_total',
    help: 'Time that the event loop of the main thread was not idle; its rate is the utilization',
    type: 'counter',
    read: () => performance.eventLoopUtilization().active / 1000,
  },
]
