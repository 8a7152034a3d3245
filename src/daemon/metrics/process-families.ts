import { readdirSync } from 'node:fs'
import { performance } from 'node:perf_hooks'

export interface Family {
  name: string
  help: string
  type: 'counter' | 'gauge' | 'histogram' | 'summary'
  samples: { labels: Record<string, string>; value: number; suffix?: string }[]
}

/**
 * The daemon's own process, under the names that dashboards use
 * (https://prometheus.io/docs/instrumenting/writing_clientlibs/#process-metrics). prom-client's default metrics
 * keep a 10 ms timer to measure the event loop, which would keep an idle daemon busy.
 */
export function processFamilies(): Family[] {
  const { user, system } = process.cpuUsage()
  const { rss, heapUsed, heapTotal, external } = process.memoryUsage()
  const loop = performance.eventLoopUtilization()
  return [
    singleFamily('process_cpu_seconds_total', 'User and system CPU time.', (user + system) / 1e6, 'counter'),
    singleFamily('process_resident_memory_bytes', 'Resident memory.', rss),
    singleFamily(
      'process_start_time_seconds',
      'Start of the process, Unix seconds.',
      Math.round(performance.timeOrigin) / 1000,
    ),
    ...openDescriptors(),
    singleFamily('nodejs_heap_size_used_bytes', 'JavaScript heap in use.', heapUsed),
    singleFamily('nodejs_heap_size_total_bytes', 'JavaScript heap.', heapTotal),
    singleFamily('nodejs_external_memory_bytes', 'External memory of JavaScript objects.', external),
    singleFamily(
      'nodejs_eventloop_active_seconds_total',
      'Time during which the event loop was active.',
      loop.active / 1000,
      'counter',
    ),
  ]
}

/** Linux only. */
function openDescriptors(): Family[] {
  try {
    return [singleFamily('process_open_fds', 'Open file descriptors.', readdirSync('/proc/self/fd').length)]
  } catch {
    return [] // there is no /proc
  }
}

function singleFamily(
  name: string,
  help: string,
  value: number,
  type: 'counter' | 'gauge' = 'gauge',
): Family {
  return { name, help, type, samples: [{ labels: {}, value }] }
}
