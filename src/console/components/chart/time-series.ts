/** Values over time, one per step. */
export interface TimeSeries {
  stepSeconds: number
  /** Start of each step in Unix seconds, oldest first. */
  times: readonly number[]
  measures: readonly Measure[]
  marks: readonly Mark[]
}

export interface Measure {
  name: string
  /** One value per step. Null if there was nothing to measure. */
  values: readonly (number | null)[]
  format(value: number): string
  /** Value for the whole period. */
  whole: string
  shape: 'area' | 'bars' | 'line'
  tone: 'accent' | 'error'
}

/** An event at a time, in Unix seconds. */
export interface Mark {
  time: number
  label: string
}

/** Labels of the marks in the step that starts at a time. */
export function marksAt({ marks, stepSeconds }: TimeSeries, time: number): string {
  return marks
    .filter(mark => mark.time >= time && mark.time < time + stepSeconds)
    .map(({ label }) => label)
    .join(', ')
}

/** Indexes of values between gaps, which a line cannot show. */
export function isolatedPoints(values: readonly (number | null | undefined)[]): number[] {
  const isGap = (index: number) => values[index] == null
  return [...values.keys()].filter(index => !isGap(index) && isGap(index - 1) && isGap(index + 1))
}
