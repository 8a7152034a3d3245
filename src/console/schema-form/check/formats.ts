const DATE = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/
const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:z|[+-]\d\d:?\d\d)$/i

/** Checked formats. Checks take linear time, because no pattern backtracks. */
const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  date: isDate,
  time: text => TIME.test(text),
  'date-time': text => /[t ]/i.test(text[10] ?? '') && isDate(text.slice(0, 10)) && TIME.test(text.slice(11)),
  email: text => /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)*$/.test(text),
  uri: text => /^[a-z][a-z\d+.-]*:[^\s"<>\\^`{|}]*$/i.test(text) && text.length > text.indexOf(':') + 1,
  uuid: text => /^(?:urn:uuid:)?[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i.test(text),
  ipv4: text => /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/.test(text),
}

function isDate(text: string): boolean {
  if (!DATE.test(text)) return false
  const [year, month, day] = text.split('-').map(Number)
  // Day 0 of a month is the last day of the month before.
  return day! <= new Date(Date.UTC(year! < 100 ? year! + 400 : year!, month!, 0)).getUTCDate()
}

/** True for unknown formats. */
export function matchesFormat(format: string, text: string): boolean {
  return !Object.hasOwn(FORMATS, format) || FORMATS[format]!(text)
}
