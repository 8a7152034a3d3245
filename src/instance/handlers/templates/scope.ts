import type { Artifact } from '../../../shared/definitions/artifact.ts'
import type { Tenant } from '../../../shared/instances/instance-protocol.ts'
import type { CallContext } from '../../server/client-context.ts'

/** Values that every template of a server can read. */
export interface ServerScope {
  data: unknown
  /** Declared variables with the deployment's values or their defaults. Excludes other variables of the process. */
  env: Record<string, string>
}

/** Values that a template can read: the arguments by name, and four names that no argument can hide. */
export type Scope = ServerScope & {
  args: Record<string, unknown>
  context: Record<string, unknown>
  [argument: string]: unknown
}

export function createServerScope(artifact: Artifact, tenant: Tenant): ServerScope {
  // A Map, because a name may be a property of every object, such as "constructor".
  const given = new Map(Object.entries(tenant.env))
  const values = artifact.env.flatMap(({ name, default: fallback }) => {
    const value = given.get(name) ?? fallback
    return value === undefined ? [] : [[name, value]]
  })
  return { data: artifact.data, env: Object.fromEntries(values) }
}

export function createScope(server: ServerScope, args: Record<string, unknown>, call: CallContext): Scope {
  return { ...args, args, data: server.data, env: server.env, context: call.hostingContext ?? EMPTY_OBJECT }
}

const EMPTY_OBJECT = Object.freeze({})
