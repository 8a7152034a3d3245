import './figure.css'
import type { ComponentChildren } from 'preact'

/** A value with its name, inside a `<dl class="figures">`. */
export function Figure({ name, value }: { name: string; value: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}
