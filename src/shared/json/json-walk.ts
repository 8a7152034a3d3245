/** Maximum nesting of accepted JSON. Far below what overflows the stack of a recursive function. */
const MAX_JSON_DEPTH = 64

/** Valid in JSON, but it could change an object's prototype. */
const FORBIDDEN_KEY = '__proto__'

export interface JsonFault {
  path: string
  message: string
}

/** A forbidden key or excessive nesting in a JSON value. Iterative, so that deep values cannot overflow the stack. */
export function findJsonFault(root: unknown): JsonFault | undefined {
  const open: { value: unknown; path: string; depth: number }[] = [{ value: root, path: '', depth: 1 }]
  for (let next = open.pop(); next; next = open.pop()) {
    const { value, path, depth } = next
    if (value === null || typeof value !== 'object') continue
    if (depth > MAX_JSON_DEPTH)
      return { path: `${path.slice(0, 60)}…`, message: `is nested deeper than ${MAX_JSON_DEPTH} levels` }
    for (const [key, member] of Object.entries(value)) {
      if (key === FORBIDDEN_KEY) return { path, message: `may not have a field named "${FORBIDDEN_KEY}"` }
      open.push({ value: member, path: joinPath(path, Array.isArray(value) ? +key : key), depth: depth + 1 })
    }
  }
  return undefined
}

/** True for a JSON value whose objects and lists are nested more than `levels` deep. Iterative, like `findJsonFault`. */
export function isDeeper(root: unknown, levels: number): boolean {
  let level = [root].filter(isStructure)
  for (let depth = 0; level.length > 0; depth++) {
    if (depth === levels) return true
    level = level.flatMap(structure => Object.values(structure).filter(isStructure))
  }
  return false
}

function isStructure(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** Steps of a JSON pointer (RFC 6901): `/properties/a~1b` → `['properties', 'a/b']`. */
export function pointerSteps(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map(step => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** `tools` + 2 → `tools[2]`; `tools[2]` + `inputSchema` → `tools[2].inputSchema`. */
export function joinPath(path: string, ...steps: readonly PropertyKey[]): string {
  return steps.reduce<string>((joined, step) => {
    if (typeof step === 'number') return `${joined}[${step}]`
    const name = String(step)
    if (!/^[A-Za-z_$][\w$-]*$/.test(name)) return `${joined}[${JSON.stringify(name)}]`
    return joined ? `${joined}.${name}` : name
  }, path)
}
