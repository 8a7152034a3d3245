import { query } from '../../../router/router.ts'

interface Period {
  /** Value in the URL. */
  value: string
  text: string
  hours: number
  stepSeconds: number
}

export const PERIODS = [
  { value: 'hour', text: 'Last hour', hours: 1, stepSeconds: 60 },
  { value: 'day', text: 'Last day', hours: 24, stepSeconds: 900 },
  { value: 'week', text: 'Last week', hours: 168, stepSeconds: 7200 },
] as const satisfies readonly Period[]

export type PeriodName = (typeof PERIODS)[number]['value']

/** The period in the URL. */
export function chosenPeriod(fallback: PeriodName): Period {
  const wanted = query.value.get('period') ?? fallback
  return PERIODS.find(({ value }) => value === wanted) ?? PERIODS[0]
}
