import type { LogLine } from '../../../shared/instances/log-line.ts'
import type { Build } from '../../store/tables/builds.ts'

/** Log lines of a build, created from its record. They come first in the logs of its preview and deployments. */
export function buildLogLines(build: Build): LogLine[] {
  const { id, name, template, status, createdAt, buildMs, error } = build
  const started = toLine(createdAt, 'info', `build ${id} of ${name} started (template ${template})`)
  const endedAt = new Date(Date.parse(createdAt) + buildMs).toISOString()
  if (status === 'building') return [started]
  if (status === 'ready')
    return [started, toLine(endedAt, 'info', `built in ${buildMs} ms: ${describeContent(build)}`)]
  const reasons = error ? [`${error.code}: ${error.message}`, ...(error.details?.split('\n') ?? [])] : []
  return [started, ...[`the build failed`, ...reasons].map(reason => toLine(endedAt, 'error', reason))]
}

function describeContent({ tools, resources, prompts }: Build): string {
  const counts = Object.entries({ tools, resources, prompts }).filter(([, names]) => names.length > 0)
  const words = counts.map(([noun, { length }]) => `${length} ${length === 1 ? noun.slice(0, -1) : noun}`)
  return words.join(', ') || 'no tools, resources or prompts'
}

function toLine(timestamp: string, level: LogLine['level'], message: string): LogLine {
  return { timestamp, level, stream: 'server', phase: 'BUILD', message }
}
