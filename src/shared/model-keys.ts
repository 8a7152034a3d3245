import * as z from 'zod'

/** `/api/model-keys`: vendors' keys for the test agent; a saved one is encrypted at rest and never told again. */
export const MODEL_VENDORS = ['anthropic', 'openai'] as const
export type ModelVendor = (typeof MODEL_VENDORS)[number]

export const modelKeySchema = z.object({
  vendor: z.enum(MODEL_VENDORS),
  /** Where the key in use comes from: the daemon's environment before a saved one; null when there is none. */
  source: z.enum(['environment', 'saved']).nullable(),
  /** Its last characters. */
  hint: z.string().nullable(),
  /** Another address than the vendor's own. */
  baseUrl: z.string().nullable(),
})

export const modelKeyListSchema = z.object({
  items: z.array(modelKeySchema),
  /** The model of a test that names none. */
  defaultModel: z.string(),
})

export const saveModelKeySchema = z.strictObject({
  apiKey: z.string().trim().min(1).max(1000),
  baseUrl: z.url({ protocol: /^https?$/ }).optional(),
})

export type ModelKeyRecord = z.infer<typeof modelKeySchema>
export type ModelKeyList = z.infer<typeof modelKeyListSchema>
