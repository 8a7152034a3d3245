import type { Tenant } from '../../shared/instances/instance-protocol.ts'
import { createRedactor } from './redact.ts'

/** Writes lines to standard error, where the daemon looks for failure reasons. Redacts environment values. */
export function createErrorOutput({ env }: Tenant): (line: string) => void {
  const redact = createRedactor(Object.values(env))
  return line => void process.stderr.write(`${redact(line)}\n`)
}
