import type { RequestRecordItem } from '../../../../shared/contract/monitoring/requests.ts'
import { shown } from '../../../components/text.tsx'

/** `greet`, `resources/read file:///a`, `initialize`: what was requested, in one line. */
export function nameOf({ tool, target, method }: RequestRecordItem): string {
  const text = tool ?? [method, target].filter(Boolean).join(' ')
  return text === '' ? 'unknown request' : shown(text, 300)
}

const NOT_KEPT = {
  none: 'Arguments and answer were not kept. Set record_bodies to true in the configuration of the deployment to keep them.',
  omitted: 'Arguments and answer were not kept, because too many requests arrived in that minute.',
  truncated: 'Arguments or answer were too long and were truncated.',
}

/** Why bodies are missing or incomplete. Undefined when they are complete. */
export function bodiesNote({ bodies }: RequestRecordItem): string | undefined {
  return bodies === 'kept' ? undefined : NOT_KEPT[bodies]
}
