export interface Point {
  /** Seconds since the start of the run. */
  at: number
  value: number
}

/** What is watched for growth. */
export interface Series {
  name: string
  unit: string
  /** So much the line may rise within the whole window that is judged. */
  mayGrow: number
  /**
   * A heap rises until it is collected, so that of its samples within one slot the least counts (at rest there is one in
   * a slot). Descriptors are told by the median of a slot.
   */
  summary: 'least' | 'median'
  points: Point[]
}

export interface Verdict {
  name: string
  unit: string
  /** Those the line was fitted through. */
  points: Point[]
  slopePerHour: number
  /** By the fitted line, over the window. */
  growth: number
  mayGrow: number
  isFlat: boolean
}

/** Fewer points say nothing. */
const LEAST_POINTS = 5

/** A process that ended is one series and the one that came in its place another: one of a name is enough. */
export function judgeAll(
  all: readonly Series[],
  slotSeconds: number,
): { verdicts: Verdict[]; unjudged: string[] } {
  const verdicts = all.flatMap(series => judge(series, slotSeconds) ?? [])
  const names = new Set(all.map(({ name }) => name))
  return { verdicts, unjudged: [...names].filter(name => !verdicts.some(verdict => verdict.name === name)) }
}

/** Undefined when too little was seen of it. */
export function judge(
  { name, unit, mayGrow, summary, points }: Series,
  slotSeconds: number,
): Verdict | undefined {
  const slots = Map.groupBy(points, ({ at }) => Math.floor(at / slotSeconds))
  const fitted = [...slots].map(([slot, within]) => {
    const values = within.map(({ value }) => value).sort((a, b) => a - b)
    return { at: slot * slotSeconds, value: summary === 'least' ? values[0]! : values[values.length >> 1]! }
  })
  if (fitted.length < LEAST_POINTS) return undefined
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

/** Of the line with the least squared distance from the points, a second. */
function slopeOf(points: Point[]): number {
  const meanAt = points.reduce((sum, { at }) => sum + at, 0) / points.length
  const mean = points.reduce((sum, { value }) => sum + value, 0) / points.length
  const covariance = points.reduce((sum, { at, value }) => sum + (at - meanAt) * (value - mean), 0)
  const variance = points.reduce((sum, { at }) => sum + (at - meanAt) ** 2, 0)
  return variance === 0 ? 0 : covariance / variance
}
