import type { ServerMetrics } from '../../../../shared/contract/monitoring/metrics.ts'
import { formatMs, formatPercent, formatRate } from '../../../../shared/format/metric-format.ts'
import type { Measure, TimeSeries } from '../../../components/chart/time-series.ts'

type EnvironmentMetrics = ServerMetrics['items'][number]

/** Figures of an environment over time, with its releases as marks. */
export function toSeries(metrics: EnvironmentMetrics): TimeSeries {
  const { points, stepSeconds, releases } = metrics
  return {
    stepSeconds,
    times: points.map(({ timestamp }) => toSeconds(timestamp)),
    measures: [requestRate(metrics), errorRate(metrics), p99(metrics)],
    marks: releases.map(({ version, timestamp }) => ({ time: toSeconds(timestamp), label: `v${version}` })),
  }
}

function requestRate({ points, stepSeconds, until, requests }: EnvironmentMetrics): Measure {
  // The last step may not have finished.
  const seconds = ({ timestamp }: { timestamp: string }) =>
    Math.min(stepSeconds, toSeconds(until) - toSeconds(timestamp))
  const perSecond = points.map(point => point.total / seconds(point))
  const unit = rateUnit(Math.max(...perSecond))
  return {
    name: 'Requests',
    values: perSecond.map(rate => rate * unit.seconds),
    format: rate => `${formatRate(rate)}/${unit.name}`,
    whole: requests.total.toLocaleString('en'),
    shape: 'area',
    tone: 'accent',
  }
}

const RATE_UNITS = [
  { name: 's', seconds: 1 },
  { name: 'min', seconds: 60 },
  { name: 'h', seconds: 3600 },
]

/** The shortest unit of time in which the rate is at least one, or the longest unit. */
export function rateUnit(perSecond: number) {
  return RATE_UNITS.find(({ seconds }) => perSecond * seconds >= 1) ?? RATE_UNITS.at(-1)!
}

function errorRate({ points, requests }: EnvironmentMetrics): Measure {
  return {
    name: 'Errors',
    values: points.map(({ total, errorRate }) => (total === 0 ? null : errorRate)),
    format: formatPercent,
    whole: formatPercent(requests.errorRate),
    shape: 'bars',
    tone: 'error',
  }
}

function p99({ points, requests }: EnvironmentMetrics): Measure {
  return {
    name: 'p99',
    values: points.map(({ total, p99Ms }) => (total === 0 ? null : p99Ms)),
    format: formatMs,
    whole: formatMs(requests.p99Ms),
    shape: 'line',
    tone: 'accent',
  }
}

function toSeconds(timestamp: string): number {
  return Date.parse(timestamp) / 1000
}
