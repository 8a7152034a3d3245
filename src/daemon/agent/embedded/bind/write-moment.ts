import type { Mention, Moment } from '../text/mention.ts'
import type { Parameter } from '../tools/signature.ts'

/**
 * A date or time in the form that the parameter asks for: by the schema's `format`, by a pattern in its description
 * (YYYY-MM-DD, mm/dd/yyyy), by an example. Without any, dates are written as ISO 8601 and relative ones stay as said.
 */
export function writeMoment(parameter: Parameter, mention: Mention): string {
  const moment = mention.moment!
  const { format } = parameter.schema
  if (format === 'date-time') return `${isoDate(moment)}T${clock(moment, true)}Z`
  if (format === 'date') return isoDate(moment)
  if (
    asksTime(parameter) &&
    moment.hour !== undefined &&
    (format === 'time' || /HH:MM/i.test(parameter.description))
  )
    return clock(moment, /HH:MM:SS/i.test(parameter.description))
  const pattern = patternIn(parameter.description)
  if (pattern) return fillPattern(pattern, moment)
  const onlyTime = moment.hour !== undefined && !moment.certain.has('day')
  if (onlyTime || moment.relative || !moment.certain.has('day')) return mention.text
  return moment.hour === undefined ? isoDate(moment) : `${isoDate(moment)} ${clock(moment, false)}`
}

/** A time of day, not a day. */
export function asksTime({ roles, schema }: Parameter): boolean {
  return schema.format === 'time' || (roles.has('time') && !roles.has('date'))
}

function isoDate({ year, month, day }: Moment): string {
  return `${pad(year ?? 0, 4)}-${pad(month ?? 1)}-${pad(day ?? 1)}`
}

function clock({ hour, minute, second }: Moment, seconds: boolean): string {
  return [hour ?? 0, minute ?? 0, ...(seconds ? [second ?? 0] : [])].map(part => pad(part)).join(':')
}

function pad(value: number, width = 2): string {
  return String(value).padStart(width, '0')
}

/** The first date pattern in a text, such as "YYYY-MM-DD" or "month-day-year". */
function patternIn(description: string): string | undefined {
  const letters =
    /\b(?:y{2,4}|m{1,2}|d{1,2})(?:[-/. ](?:y{2,4}|m{1,4}|d{1,2})){1,2}(?:[ T]hh:mm(?::ss)?)?/i.exec(
      description,
    )
  if (letters) return letters[0]
  const words = /\b(?:month|day|year)[-/](?:month|day|year)[-/](?:month|day|year)\b/i.exec(description)
  return words?.[0].replace(/month/i, 'MM').replace(/day/i, 'DD').replace(/year/i, 'YYYY')
}

function fillPattern(pattern: string, moment: Moment): string {
  const fields: Record<string, string> = {
    y: pad(moment.year ?? 0, 4),
    d: pad(moment.day ?? 1),
    h: pad(moment.hour ?? 0),
    s: pad(moment.second ?? 0),
  }
  let minutes = false
  return pattern.replace(/([ymdhs])\1*/gi, run => {
    const letter = run[0]!.toLowerCase()
    if (letter === 'h') minutes = true
    if (letter === 'm') return minutes ? pad(moment.minute ?? 0) : pad(moment.month ?? 1)
    return letter === 'y' && run.length === 2 ? fields.y!.slice(2) : fields[letter]!
  })
}
