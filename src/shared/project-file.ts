import * as z from 'zod'
import { buildRequestSchema } from './definitions.ts'
import { deployConfigSchema } from './deployments.ts'
import { networkSchema } from './network/network-schema.ts'

/**
 * `mcp.config.json` (also `.yaml`, `.ts`): the build request as it is, plus how to deploy and test it
 * (docs/definitions.md "The file").
 */
export const projectFileSchema = buildRequestSchema.extend({
  $schema: z.string().optional(),
  /** Defaults of `mcp deploy`, per environment. */
  deploy: z
    .strictObject({
      production: deployConfigSchema.optional(),
      staging: deployConfigSchema.optional(),
      development: deployConfigSchema.optional(),
      /** Share of the cases of `test` that must pass before anything is released, as `--require-test`. */
      requireTest: z.number().min(0).max(1).optional(),
      /** Default of `network` in all environments. */
      network: networkSchema.optional(),
    })
    .optional(),
  /** A test suite: a path or the suite itself. */
  test: z.union([z.string(), z.record(z.string(), z.json())]).optional(),
  /** Id of the linked project. */
  project: z.string().optional(),
})

export type ProjectFile = z.infer<typeof projectFileSchema>
