import { readdirSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import type { Family } from './exposition.ts'

/**
 * The daemon's own process, under the names that dashboards know
 * (https://prometheus.io/docs/instrumenting/writing_clientlibs/#process-metrics). prom-client's default metrics would do,
 * but they keep a timer of 10 ms for ever to measure the event loop with: an idle daemon is to do nothing.
 */
export function processFamilies(): Family[] {
  const { user, system } = process.cpuUsage()
  const { rss, heapUsed, heapTotal, external } = process.memoryUsage()
  const loop = performance.eventLoopUtilization()
  return [
    one('process_cpu_seconds_total', 'User and system CPU time.', (user + system) / 1e6, 'counter'),
    one('process_resident_memory_bytes', 'Resident memory.', rss),
    one(
      'process_start_time_seconds',
      'Start of the process, Unix seconds.',
      Math.round(performance.timeOrigin) / 1000,
    ),
    ...openDescriptors(),
    one('nodejs_heap_size_used_bytes', 'JavaScript heap in use.', heapUsed),
    one('nodejs_heap_size_total_bytes', 'JavaScript heap.', heapTotal),
    one('nodejs_external_memory_bytes', 'Memory outside of the heap that JavaScript holds.', external),
    one(
      'nodejs_eventloop_active_seconds_total',
      'Time in which the event loop was at work.',
      loop.active / 1000,
      'counter',
    ),
  ]
}

/** Linux only. */
function openDescriptors(): Family[] {
  try {
    return [one('process_open_fds', 'Open file descriptors.', readdirSync('/proc/self/fd').length)]
  } catch {
    return [] // systems without /proc do not tell
  }
}

function one(name: string, help: string, value: number, type: 'counter' | 'gauge' = 'gauge'): Family {
  return { name, help, type, samples: [{ labels: {}, value }] }
}
