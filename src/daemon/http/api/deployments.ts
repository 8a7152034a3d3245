import { keyInfoSchema } from '../../../shared/contract/api-keys.ts'
import type { Services } from '../../services/services.ts'
import { endpoint } from '../endpoint.ts'

export function deploymentsEndpoints({ apiKeys }: Services) {
  const keyInfo = endpoint({
    operationId: 'getApiKeyInfo',
    summary: 'Show the API key of the request, even if it has expired',
    answers: { 200: { description: 'The key.', schema: keyInfoSchema } },
    run: ({ principal }) => ({ status: 200, data: apiKeys.info(principal) }),
  })

  return { keyInfo }
}
