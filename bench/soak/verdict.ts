export interface Point {
  /** Seconds since the start of the run. */
  at: number
  value: number
}

/** A quantity that must not grow. */
export interface Series {
  name: string
  unit: string
  /** Maximum rise of the fitted line over the whole measurement. */
  mayGrow: number
  /**
   * Reduces the samples of a slot to one point. A heap grows until it is collected, so the minimum counts for memory (a rest is
   * the only sample of its slot). For descriptors, the median counts.
   */
  summary: 'least' | 'median'
  points: Point[]
}

export interface Verdict {
  name: string
  unit: string
  /** Points that the line was fitted to. */
  points: Point[]
  slopePerHour: number
  /** Rise of the fitted line over the measurement. */
  growth: number
  mayGrow: number
  isFlat: boolean
}

/** Minimum number of points for a verdict. */
const MIN_POINTS = 5

/** Judges the series. One verdict per name is enough, because a restarted process starts a new series with the same name. */
export function judgeAll(
  all: readonly Series[],
  slotSeconds: number,
): { verdicts: Verdict[]; unjudged: string[] } {
  const verdicts = all.flatMap(series => judge(series, slotSeconds) ?? [])
  const names = new Set(all.map(({ name }) => name))
  return { verdicts, unjudged: [...names].filter(name => !verdicts.some(verdict => verdict.name === name)) }
}

/** Undefined without enough points. */
export function judge(
  { name, unit, mayGrow, summary, points }: Series,
  slotSeconds: number,
): Verdict | undefined {
  const slots = Map.groupBy(points, ({ at }) => Math.floor(at / slotSeconds))
  const fitted = [...slots].map(([slot, within]) => {
    const values = within.map(({ value }) => value).sort((a, b) => a - b)
    return { at: slot * slotSeconds, value: summary === 'least' ? values[0]! : values[values.length >> 1]! }
  })
  if (fitted.length < MIN_POINTS) return undefined
  const slope = slopeOf(fitted)
  const growth = slope * (fitted.at(-1)!.at - fitted[0]!.at)
  return {
    name,
    unit,
    points: fitted,
    slopePerHour: slope * 3600,
    growth,
    mayGrow,
    isFlat: growth <= mayGrow,
  }
}

/** Slope per second of the least-squares line. */
function slopeOf(points: Point[]): number {
  const meanAt = points.reduce((sum, { at }) => sum + at, 0) / points.length
  const mean = points.reduce((sum, { value }) => sum + value, 0) / points.length
  const covariance = points.reduce((sum, { at, value }) => sum + (at - meanAt) * (value - mean), 0)
  const variance = points.reduce((sum, { at }) => sum + (at - meanAt) ** 2, 0)
  return variance === 0 ? 0 : covariance / variance
}
