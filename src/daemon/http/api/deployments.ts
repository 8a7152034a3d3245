import { keyInfoSchema } from '../../../shared/contract/api-keys.ts'
import type { Services } from '../../services/services.ts'
import { dataEndpoint } from '../endpoint.ts'

export function deploymentsEndpoints({ apiKeys }: Services) {
  const keyInfo = dataEndpoint({
    operationId: 'getApiKeyInfo',
    summary: 'Show the API key of the request, even if it has expired',
    answers: { 200: { description: 'The key.', schema: keyInfoSchema } },
    run: ({ principal }) => apiKeys.info(principal),
  })

  return { keyInfo }
}
