import * as z from 'zod'
import { modelKeyListSchema, modelKeySchema, saveModelKeySchema } from '../../../shared/model-keys.ts'
import type { Services } from '../../services/services.ts'
import { endpoint } from '../endpoint.ts'
import { idSchema } from '../path-ids.ts'

const params = z.object({ vendor: idSchema })

export function modelKeysEndpoints({ vendorKeys, testRuns }: Services) {
  const listModelKeys = endpoint({
    operationId: 'listModelKeys',
    summary: "Tell which vendors' models the test agent has a key for, and the default model",
    answers: { 200: { description: 'One entry a vendor', schema: modelKeyListSchema } },
    run: () => ({ status: 200, data: { items: vendorKeys.list(), defaultModel: testRuns.defaultModel() } }),
  })

  const saveModelKey = endpoint({
    operationId: 'saveModelKey',
    summary: "Save a vendor's key, encrypted",
    params,
    body: saveModelKeySchema,
    answers: { 200: { description: 'Saved', schema: modelKeySchema } },
    errors: ['NOT_FOUND'],
    run: ({ params, body }) => ({
      status: 200,
      data: vendorKeys.save(params.vendor, body.apiKey, body.baseUrl),
    }),
  })

  const removeModelKey = endpoint({
    operationId: 'removeModelKey',
    summary: "Forget a vendor's saved key",
    params,
    answers: { 204: { description: 'Removed' } },
    errors: ['NOT_FOUND'],
    run({ params }) {
      vendorKeys.remove(params.vendor)
      return { status: 204 }
    },
  })

  return { listModelKeys, saveModelKey, removeModelKey }
}
