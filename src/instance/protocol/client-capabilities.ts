import { isObject } from './json-rpc.ts'

/** Capability that a client must declare before the server may send this request. Undefined when the request needs none. */
export function requiredCapability(
  method: string,
  params: Record<string, unknown>,
): Record<string, unknown> | undefined {
  switch (method) {
    case 'sampling/createMessage':
      return { sampling: params.tools === undefined ? {} : { tools: {} } }
    case 'elicitation/create':
      return { elicitation: params.mode === 'url' ? { url: {} } : {} }
    case 'roots/list':
      return { roots: {} }
    default:
      return undefined
  }
}

/** The `required` capability if the client lacks any part of it. */
export function missingCapability(
  declared: Readonly<Record<string, unknown>>,
  required: Record<string, unknown> | undefined,
): Record<string, unknown> | undefined {
  if (!required) return undefined
  const lacks = Object.entries(required).some(([name, parts]) => {
    const own = declared[name]
    return !isObject(own) || (isObject(parts) && Object.keys(parts).some(part => !isObject(own[part])))
  })
  return lacks ? required : undefined
}

export function missingCapabilitySentence(method: string, required: Record<string, unknown>): string {
  const [name, parts] = Object.entries(required)[0]!
  const full = [name, ...Object.keys(parts as object)].join('.')
  return `${method} needs the capability "${full}", which the client did not declare`
}
