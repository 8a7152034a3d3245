import type { Mention } from '../text/mention.ts'
import type { Parameter } from '../tools/signature.ts'
import { formatDate } from './format-date.ts'
import type { Fit } from './scope.ts'

/** Score of a date or time for a text parameter. */
export function fitDateText(parameter: Parameter, mention: Mention): Fit | undefined {
  const { certain, relative } = mention.dateTime!
  if (isMonth(parameter))
    return certain.has('month') ? { score: 3, value: monthWord(mention.text) } : undefined
  const timed = parameter.roles.has('time') || parameter.schema.format === 'time'
  if (!isDated(parameter) && !timed && !parameter.roles.has('year')) return undefined
  const hasDate = certain.has('day') || certain.has('month') || relative
  const exact = certain.has('year') ? 0.3 : 0
  const score = isDated(parameter) ? (hasDate ? 3 + exact : 1) : certain.has('hour') ? 3 : 0.5
  return { score, value: formatDate(parameter, mention) }
}

export function isDated(parameter: Parameter): boolean {
  return parameter.roles.has('date') || ['date', 'date-time', 'time'].includes(parameter.schema.format ?? '')
}

export function isMonth(parameter: Parameter): boolean {
  return parameter.name.toLowerCase().endsWith('month')
}

/** The month of "March 2021". */
function monthWord(text: string): string {
  return text.split(' ').find(word => /^[a-z]{3,}/i.test(word)) ?? text
}
