import * as z from 'zod'
import { named } from '../../json/schema-metadata.ts'

/** `/api/model-keys`: keys of model vendors for the test agent. Saved keys are encrypted at rest and never returned. */
export const MODEL_VENDORS = ['anthropic', 'openai'] as const
export type ModelVendor = (typeof MODEL_VENDORS)[number]

const namedModelKey = named(
  'ModelKey',
  'Key of a model vendor for the test agent. The key itself is never returned.',
  { vendor: 'anthropic', source: 'saved', hint: '…3f9a', baseUrl: null },
)

export const modelKeySchema = namedModelKey.object({
  vendor: z.enum(MODEL_VENDORS).describe('Vendor of the models.'),
  source: z
    .enum(['environment', 'saved'])
    .nullable()
    .describe(
      "Origin of the key in use. A key in the daemon's environment takes precedence over a saved one. Null without a key.",
    ),
  hint: z.string().nullable().describe('Last characters of the key. Null without a key.'),
  baseUrl: z.string().nullable().describe("URL used instead of the vendor's. Null if there is none."),
})

const namedModelKeyList = named('ModelKeyList', 'Keys of all vendors.', {
  items: [{ vendor: 'anthropic', source: 'saved', hint: '…3f9a', baseUrl: null }],
  defaultModel: 'claude-sonnet-4-5',
})

export const modelKeyListSchema = namedModelKeyList.object({
  items: z.array(modelKeySchema).describe('One entry per vendor.'),
  defaultModel: z.string().describe('Model for tests that do not name one.'),
})

const namedSaveModelKeyRequest = named('SaveModelKeyRequest', 'A key of a model vendor.', {
  apiKey: 'sk-example',
})

export const saveModelKeySchema = namedSaveModelKeyRequest.strictObject({
  apiKey: z.string().trim().min(1).max(1000).describe('The key.'),
  baseUrl: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("URL to use instead of the vendor's."),
})

export type ModelKeyRecord = z.infer<typeof modelKeySchema>
export type ModelKeyList = z.infer<typeof modelKeyListSchema>
