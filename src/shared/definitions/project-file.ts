import * as z from 'zod'
import { deployConfigSchema } from '../contract/deployments/deploy-config.ts'
import { originsSchema } from '../contract/deployments/origins.ts'
import { jsonObject } from '../json/json-value.ts'
import { networkSchema } from '../network/network-schema.ts'
import { buildRequestSchema } from './definitions.ts'

/**
 * `mcp.config.json` (or `.yaml`, `.ts`): a build request with settings to deploy and test it (docs/definitions.md
 * "The file").
 */
export const projectFileSchema = buildRequestSchema.omit({ environment: true }).extend({
  $schema: z.string().optional().describe('Path of this schema, so that an editor completes the file.'),
  deploy: z
    .strictObject({
      production: deployConfigSchema.optional().describe('Defaults for production.'),
      staging: deployConfigSchema.optional().describe('Defaults for staging.'),
      development: deployConfigSchema.optional().describe('Defaults for development.'),
      requireTest: z
        .number()
        .min(0)
        .max(1)
        .optional()
        .describe('Share of the cases of `test` that must pass before a release, like `--require-test`.'),
      network: networkSchema.optional().describe('Default of `network` in all environments.'),
      origins: originsSchema.optional().describe('Default of `origins` in all environments.'),
    })
    .optional()
    .describe('Defaults of `mcp deploy`.'),
  test: z.union([z.string(), jsonObject]).optional().describe('A test suite: its path, or the suite itself.'),
  project: z.string().optional().describe('Id of the linked project.'),
})

export type ProjectFile = z.infer<typeof projectFileSchema>
