import type { LogLevel } from '../../shared/definitions/definitions.ts'

/** RFC 5424 order, least severe first (MCP "logging"). */
const SEVERITY: Readonly<Record<LogLevel, number>> = {
  debug: 0,
  info: 1,
  notice: 2,
  warning: 3,
  error: 4,
  critical: 5,
  alert: 6,
  emergency: 7,
}

export function isLogLevel(value: unknown): value is LogLevel {
  return typeof value === 'string' && Object.hasOwn(SEVERITY, value)
}

export function isAtLeast(level: LogLevel, minimum: LogLevel): boolean {
  return SEVERITY[level] >= SEVERITY[minimum]
}

export const LOG_LEVEL_NAMES: readonly string[] = Object.keys(SEVERITY)
