import {
  pruneRequestSchema,
  pruneResultSchema,
  unusedListSchema,
} from '../../../shared/contract/daemon/prune.ts'
import type { Services } from '../../services/services.ts'
import { dataEndpoint } from '../endpoint.ts'

export function pruneEndpoints({ prune }: Services) {
  const listUnused = dataEndpoint({
    operationId: 'listUnused',
    summary: 'List unused builds, files and other items',
    answers: { 200: { description: 'Removable items.', schema: unusedListSchema } },
    run: () => prune.list(),
  })

  const removeUnused = dataEndpoint({
    operationId: 'removeUnused',
    summary: 'Remove unused builds, files and other items',
    body: pruneRequestSchema,
    answers: { 200: { description: 'Removed items.', schema: pruneResultSchema } },
    run: ({ body }) => prune.remove(body),
  })

  return { listUnused, removeUnused }
}
