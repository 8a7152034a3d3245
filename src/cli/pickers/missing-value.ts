import { HostingError, type NextStep } from '../../shared/errors.ts'
import type { Choice } from '../choices/choice.ts'

const MAX_NAMES = 20

/** Usage error that lists the possible values: `Missing <tool>. Tools of weather: forecast, today.` */
export function missingValue(
  argument: string,
  title: string,
  choices: readonly Choice[],
  next: NextStep,
): HostingError {
  const names = choices.slice(0, MAX_NAMES).map(({ value }) => value)
  const more = choices.length > MAX_NAMES ? ` and ${choices.length - MAX_NAMES} more` : ''
  return new HostingError('INVALID_REQUEST', `Missing ${argument}. ${title}: ${names.join(', ')}${more}.`, {
    next: [next],
  })
}
