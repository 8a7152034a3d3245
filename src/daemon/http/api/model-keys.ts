import * as z from 'zod'
import {
  modelKeyListSchema,
  modelKeySchema,
  saveModelKeySchema,
} from '../../../shared/contract/access/model-keys.ts'
import { described } from '../../../shared/json/schema-metadata.ts'
import type { Services } from '../../services/services.ts'
import { dataEndpoint, endpoint } from '../endpoint.ts'
import { idSchema } from '../path-ids.ts'

const params = z.object({
  vendor: idSchema.meta(described('Vendor: `anthropic` or `openai`.', 'anthropic')),
})

export function modelKeysEndpoints({ vendorKeys, testRuns }: Services) {
  const record = ({ vendor }: z.output<typeof params>) => vendorKeys.version(vendor)

  const listModelKeys = dataEndpoint({
    operationId: 'listModelKeys',
    summary: 'List the model keys of the test agent, and its default model',
    answers: { 200: { description: 'One entry per vendor.', schema: modelKeyListSchema } },
    run: () => ({ items: vendorKeys.list(), defaultModel: testRuns.defaultModel() }),
  })

  const getModelKey = endpoint({
    operationId: 'getModelKey',
    summary: 'Show the key of a model vendor',
    params,
    record,
    answers: { 200: { description: 'The key.', schema: modelKeySchema } },
    run: ({ params }) => ({ status: 200, data: vendorKeys.get(params.vendor), record: record(params) }),
  })

  const saveModelKey = endpoint({
    operationId: 'saveModelKey',
    summary: 'Save the key of a model vendor, encrypted',
    params,
    record,
    body: saveModelKeySchema,
    answers: { 200: { description: 'The key.', schema: modelKeySchema } },
    run: ({ params, body }) => ({
      status: 200,
      data: vendorKeys.save(params.vendor, body.apiKey, body.baseUrl),
      record: record(params),
    }),
  })

  const removeModelKey = dataEndpoint({
    operationId: 'removeModelKey',
    summary: 'Remove the saved key of a model vendor',
    params,
    record,
    answers: { 204: { description: 'Removed.' } },
    run: ({ params }) => vendorKeys.remove(params.vendor),
  })

  return { listModelKeys, getModelKey, saveModelKey, removeModelKey }
}
