import { isObject, type Params } from '../../../mcp/messages.ts'

/** Hints from a server about a tool. Nothing enforces them. */
export function hintsOf({ annotations }: Params) {
  const hints = isObject(annotations) ? annotations : {}
  return {
    isReadOnly: hints.readOnlyHint === true,
    // The protocol's default is true, but users would learn to ignore a question before every tool without hints.
    isDestructive: hints.destructiveHint === true && hints.readOnlyHint !== true,
    isIdempotent: hints.idempotentHint === true,
    isOpenWorld: hints.openWorldHint === true,
  }
}

export function Hints({ source }: { source: Params }) {
  const { isReadOnly, isDestructive, isIdempotent, isOpenWorld } = hintsOf(source)
  const tags = [
    isReadOnly && (['ok', 'read-only', 'changes nothing'] as const),
    isDestructive && (['failed', 'destructive', 'may delete or overwrite data'] as const),
    isIdempotent && ([undefined, 'idempotent', 'repeating a call has no further effect'] as const),
    isOpenWorld && ([undefined, 'open world', 'accesses systems outside the server'] as const),
  ].filter(tag => tag !== false)
  if (tags.length === 0) return null
  return (
    <p class="pg-line">
      {tags.map(([tone, name, about]) => (
        <span key={name} class={`tag ${tone ?? ''}`} title={`The server says: ${about}.`}>
          {name}
        </span>
      ))}
    </p>
  )
}
