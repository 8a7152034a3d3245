import './state.css'
import type { ComponentChildren } from 'preact'

type Tone = 'ok' | 'busy' | 'warn' | 'failed' | 'off'

const TONES: Record<string, Tone> = {
  ok: 'ok',
  passed: 'ok',
  deployed: 'ok',
  live: 'ok',
  ready: 'ok',
  succeeded: 'ok',
  healthy: 'ok',
  active: 'ok',
  connecting: 'busy',
  deploying: 'busy',
  building: 'busy',
  'in progress': 'busy',
  starting: 'busy',
  draining: 'busy',
  running: 'busy',
  upgrading: 'busy',
  answered: 'ok',
  paused: 'warn',
  'older lines': 'warn',
  reconnecting: 'warn',
  degraded: 'warn',
  unhealthy: 'failed',
  refused: 'warn',
  error: 'failed',
  failed: 'failed',
  'tool error': 'failed',
}

/** State of a record as a word, with a mark that differs in shape as well as colour. */
export function State({ value, title }: { value: string; title?: string }) {
  return (
    <span class={`state ${TONES[value] ?? 'off'}`} title={title}>
      {value}
    </span>
  )
}

export function Tag({
  tone = '',
  children,
}: {
  tone?: 'ok' | 'warn' | 'failed' | 'accent' | ''
  children: ComponentChildren
}) {
  return <span class={`tag ${tone}`}>{children}</span>
}
