import type { DateTime, Mention } from '../text/mention.ts'
import type { Parameter } from '../tools/signature.ts'

/**
 * Formats a date or time for a parameter by the schema's `format`, or by a pattern in its description (YYYY-MM-DD,
 * mm/dd/yyyy). By default dates are ISO 8601, and relative dates keep their wording.
 */
export function formatDate(parameter: Parameter, mention: Mention): string {
  const dateTime = mention.dateTime!
  const { format } = parameter.schema
  if (format === 'date-time') return `${isoDate(dateTime)}T${clock(dateTime, true)}Z`
  if (format === 'date') return isoDate(dateTime)
  if (
    asksTime(parameter) &&
    dateTime.hour !== undefined &&
    (format === 'time' || /HH:MM/i.test(parameter.description))
  )
    return clock(dateTime, /HH:MM:SS/i.test(parameter.description))
  const pattern = patternIn(parameter.description)
  if (pattern) return fillPattern(pattern, dateTime)
  const onlyTime = dateTime.hour !== undefined && !dateTime.certain.has('day')
  if (onlyTime || dateTime.relative || !dateTime.certain.has('day')) return mention.text
  return dateTime.hour === undefined ? isoDate(dateTime) : `${isoDate(dateTime)} ${clock(dateTime, false)}`
}

/** True for a parameter that asks for a time of day without a date. */
export function asksTime({ roles, schema }: Parameter): boolean {
  return schema.format === 'time' || (roles.has('time') && !roles.has('date'))
}

function isoDate({ year, month, day }: DateTime): string {
  return `${pad(year ?? 0, 4)}-${pad(month ?? 1)}-${pad(day ?? 1)}`
}

function clock({ hour, minute, second }: DateTime, seconds: boolean): string {
  return [hour ?? 0, minute ?? 0, ...(seconds ? [second ?? 0] : [])].map(part => pad(part)).join(':')
}

function pad(value: number, width = 2): string {
  return String(value).padStart(width, '0')
}

/** The first date pattern in the text, such as "YYYY-MM-DD" or "month-day-year". */
function patternIn(description: string): string | undefined {
  const letters =
    /\b(?:y{2,4}|m{1,2}|d{1,2})(?:[-/. ](?:y{2,4}|m{1,4}|d{1,2})){1,2}(?:[ T]hh:mm(?::ss)?)?/i.exec(
      description,
    )
  if (letters) return letters[0]
  const words = /\b(?:month|day|year)[-/](?:month|day|year)[-/](?:month|day|year)\b/i.exec(description)
  return words?.[0].replace(/month/i, 'MM').replace(/day/i, 'DD').replace(/year/i, 'YYYY')
}

function fillPattern(pattern: string, dateTime: DateTime): string {
  const fields: Record<string, string> = {
    y: pad(dateTime.year ?? 0, 4),
    d: pad(dateTime.day ?? 1),
    h: pad(dateTime.hour ?? 0),
    s: pad(dateTime.second ?? 0),
  }
  let minutes = false
  return pattern.replace(/([ymdhs])\1*/gi, run => {
    const letter = run[0]!.toLowerCase()
    if (letter === 'h') minutes = true
    if (letter === 'm') return minutes ? pad(dateTime.minute ?? 0) : pad(dateTime.month ?? 1)
    return letter === 'y' && run.length === 2 ? fields.y!.slice(2) : fields[letter]!
  })
}
