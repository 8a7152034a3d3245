import { useSignal } from '@preact/signals'
import { ShowMore } from '../fields/buttons.tsx'
import { formatCount, LongText, Name } from '../text/text.tsx'

const PAGE = 100
const MAX_OPEN = 20
const MAX_OPEN_DEPTH = 2

interface TreeProps {
  value: unknown
  name?: string
  depth?: number
}

/** JSON as a tree. Collapsed parts are not rendered, so its size does not matter. */
export function JsonTree({ value, name, depth = 0 }: TreeProps) {
  if (typeof value !== 'object' || value === null) return <Leaf value={value} name={name} />
  return <Branch value={value} name={name} depth={depth} />
}

function Branch({ value, name, depth = 0 }: TreeProps & { value: object }) {
  const isList = Array.isArray(value)
  const count = isList ? value.length : Object.keys(value).length
  const isOpen = useSignal(depth < MAX_OPEN_DEPTH && count <= MAX_OPEN)
  return (
    <details
      class="sf-tree"
      open={isOpen.value}
      onToggle={event => (isOpen.value = (event.currentTarget as HTMLDetailsElement).open)}
    >
      <summary>
        <Key name={name} />
        <span class="sf-size">{isList ? `[${formatCount(count)}]` : `{${formatCount(count)}}`}</span>
      </summary>
      {isOpen.value && <Children value={value} depth={depth} />}
    </details>
  )
}

function Children({ value, depth }: { value: object; depth: number }) {
  const limit = useSignal(PAGE)
  const entries = Object.entries(value)
  return (
    <div class="sf-branch">
      {entries.slice(0, limit.value).map(([name, member]) => (
        <JsonTree key={name} name={name} value={member} depth={depth + 1} />
      ))}
      <ShowMore
        left={entries.length - limit.value}
        page={PAGE}
        noun="entries"
        onClick={() => (limit.value += PAGE)}
      />
    </div>
  )
}

function Leaf({ value, name }: TreeProps) {
  const isText = typeof value === 'string'
  return (
    <div class="sf-leaf">
      <Key name={name} />
      <span class={`sf-${value === null ? 'null' : typeof value}`}>
        <LongText value={isText ? JSON.stringify(value) : printScalar(value)} max={400} />
      </span>
    </div>
  )
}

/** Long numbers are objects that JSON.stringify prints with all digits. */
function printScalar(value: unknown): string {
  return JSON.stringify(value) ?? ''
}

function Key({ name }: { name?: string }) {
  if (name === undefined) return null
  return (
    <span class="sf-key">
      <Name value={name} />:{' '}
    </span>
  )
}
