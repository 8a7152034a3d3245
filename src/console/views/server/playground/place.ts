import type { StoreEnvironment } from '../../../../shared/contract/states.ts'
import type { Entry } from '../../../mcp/catalog.ts'
import { serverPath } from '../../paths.ts'

/** Server and environment that the playground uses. */
export interface Place {
  name: string
  environment: StoreEnvironment
}

/** URL of an entry, or of the whole playground. */
export function entryPath({ name, environment }: Place, entry?: Pick<Entry, 'kind' | 'id'>): string {
  return serverPath(name, '/playground', environment, entry && { kind: entry.kind, name: entry.id })
}
