import './facts.css'
import type { ComponentChildren } from 'preact'

/** Names and values of a record. */
export function Facts({ children }: { children: ComponentChildren }) {
  return <dl class="facts">{children}</dl>
}

interface FactProps {
  name: string
  /** Fills a whole line. */
  wide?: boolean
  children: ComponentChildren
}

/** Renders nothing without a value. */
export function Fact({ name, wide, children }: FactProps) {
  if (children === null || children === false) return null
  return (
    <div class={wide ? 'wide' : undefined}>
      <dt>{name}</dt>
      <dd class="wrap">{children}</dd>
    </div>
  )
}
