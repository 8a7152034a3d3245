/** Deepest nesting of any JSON that is taken in: far above honest use, far below what overflows a recursive reader. */
export const MAX_JSON_DEPTH = 64

/** A member name that JSON allows and that is never meant: it would reach an object's prototype. */
const FORBIDDEN_KEY = '__proto__'

export interface JsonFault {
  path: string
  message: string
}

/** The first thing about a JSON value that no reader should have to cope with; undefined when there is none. Iterative. */
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

/** `tools` + 2 → `tools[2]`; `tools[2]` + `inputSchema` → `tools[2].inputSchema`. */
export function joinPath(path: string, ...steps: readonly PropertyKey[]): string {
  return steps.reduce<string>((joined, step) => {
    if (typeof step === 'number') return `${joined}[${step}]`
    const name = String(step)
    if (!/^[A-Za-z_$][\w$-]*$/.test(name)) return `${joined}[${JSON.stringify(name)}]`
    return joined ? `${joined}.${name}` : name
  }, path)
}
