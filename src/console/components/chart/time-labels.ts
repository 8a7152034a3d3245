const DAY_SECONDS = 86_400

const clock = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
const day = new Intl.DateTimeFormat('en', { weekday: 'short', day: 'numeric' })

/** `Mon 23, 14:05` in local time. */
export function timeLabel(seconds: number): string {
  return `${dayLabel(seconds)}, ${clock.format(seconds * 1000)}`
}

/** Labels of an axis: the time of day, or the day at midnight and for steps of a day or more. */
export function axisLabels(times: readonly number[], stepSeconds: number): string[] {
  return times.map(time => {
    const text = clock.format(time * 1000)
    return stepSeconds >= DAY_SECONDS || text === '00:00' ? dayLabel(time) : text
  })
}

/** Puts the weekday first. The format's own order is `23 Mon`. */
function dayLabel(seconds: number): string {
  const parts = new Map(day.formatToParts(seconds * 1000).map(({ type, value }) => [type, value]))
  return `${parts.get('weekday')} ${parts.get('day')}`
}
