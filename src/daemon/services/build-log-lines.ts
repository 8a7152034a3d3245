import type { LogLine } from '../../shared/instance-protocol.ts'
import type { Build } from '../store/builds.ts'

/** What a build did, as the first lines of its preview's log and of its deployments': its record tells all of it. */
export function buildLogLines(build: Build): LogLine[] {
  const { id, name, template, status, createdAt, buildMs, error } = build
  const begun = toLine(createdAt, 'info', `build ${id} of ${name} begins (template ${template})`)
  const endedAt = new Date(Date.parse(createdAt) + buildMs).toISOString()
  if (status === 'building') return [begun]
  if (status === 'ready')
    return [begun, toLine(endedAt, 'info', `built in ${buildMs} ms: ${contentOf(build)}`)]
  const reasons = error ? [`${error.code}: ${error.message}`, ...(error.details?.split('\n') ?? [])] : []
  return [begun, ...[`the build failed`, ...reasons].map(reason => toLine(endedAt, 'error', reason))]
}

function contentOf({ tools, resources, prompts }: Build): string {
  const counts = Object.entries({ tools, resources, prompts }).filter(([, names]) => names.length > 0)
  const words = counts.map(([noun, { length }]) => `${length} ${length === 1 ? noun.slice(0, -1) : noun}`)
  return words.join(', ') || 'nothing is listed'
}

function toLine(timestamp: string, level: LogLine['level'], message: string): LogLine {
  return { timestamp, level, stream: 'server', phase: 'BUILD', message }
}
