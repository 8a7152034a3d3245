import type { NextStep } from '../../shared/errors.ts'
import type { ApiClient } from '../api/client.ts'

/** The log of a deployment, or its health if the API has no logs. */
export function logOrHealthStep({ isContractOnly }: ApiClient, id: string): NextStep {
  return isContractOnly
    ? { description: 'Show its health', command: `mcp status ${id} --health` }
    : { description: 'Show its log', command: `mcp logs ${id}` }
}
