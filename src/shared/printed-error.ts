import { type ErrorBody, type ErrorCode, HostingError, type NextStep } from './errors.ts'

/** Error in the last `{"error":…}` line of a program's output. Undefined if there is none, or if a full disk cut it off. */
export function printedError(lines: readonly string[], cause?: unknown): HostingError | undefined {
  const line = lines.findLast(one => one.startsWith('{"error":'))
  if (line === undefined) return undefined
  try {
    const { error } = JSON.parse(line) as { error: ErrorBody & { next?: NextStep[] } }
    return new HostingError(error.code as ErrorCode, error.message, {
      details: error.details,
      ...(error.next && { next: error.next }),
      cause,
    })
  } catch {
    return undefined
  }
}
