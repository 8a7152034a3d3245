import type { Tenant } from '../../shared/instance-protocol.ts'
import { createRedactor } from './redact.ts'

/** Writes lines to this process's own standard error, where the daemon looks for reasons, without values of variables. */
export function createErrorOutput({ env }: Tenant): (line: string) => void {
  const redact = createRedactor(Object.values(env))
  return line => void process.stderr.write(`${redact(line)}\n`)
}
