import type { Artifact } from '../../shared/artifact.ts'
import type { Tenant } from '../../shared/instance-protocol.ts'
import type { CallContext } from '../prepared-server.ts'

/** What every template of a server can read, whatever the request is. */
export interface ServerScope {
  data: unknown
  /** Declared names with the deployment's values or their defaults; no other variable of the process. */
  env: Record<string, string>
}

/** What one template reads: the arguments by name and the four names that no argument can hide. */
export type Scope = ServerScope & {
  args: Record<string, unknown>
  context: Record<string, unknown>
  [argument: string]: unknown
}

export function createServerScope(artifact: Artifact, tenant: Tenant): ServerScope {
  // A name may be one that every object has, such as "constructor".
  const given = new Map(Object.entries(tenant.env))
  const values = artifact.env.flatMap(({ name, default: fallback }) => {
    const value = given.get(name) ?? fallback
    return value === undefined ? [] : [[name, value]]
  })
  return { data: artifact.data, env: Object.fromEntries(values) }
}

export function createScope(server: ServerScope, args: Record<string, unknown>, call: CallContext): Scope {
  return { ...args, args, data: server.data, env: server.env, context: call.hostingContext ?? NOTHING }
}

const NOTHING = Object.freeze({})
