import * as z from 'zod'
import { described, named } from '../json/schema-metadata.ts'
import {
  BUILD_STATES,
  CONTAINER_BUILD_STATES,
  DEPLOYMENT_STATES,
  ENVIRONMENTS,
  PROJECT_STATES,
  TEMPLATES,
} from './states.ts'

/** ISO 8601 in UTC. */
export const isoTime = z.iso.datetime()

export const environmentSchema = z
  .enum(ENVIRONMENTS)
  .meta({ id: 'Environment', description: 'Deployment environment.' })

export const templateSchema = z.enum(TEMPLATES).meta({
  id: 'Template',
  description:
    'Content that a server may have. `basic`: declared answers. `advanced`: also HTTP calls to other APIs. `custom`: code.',
})

export const buildStateSchema = z
  .enum(BUILD_STATES)
  .meta({ id: 'BuildState', description: 'State of a build.' })

export const deploymentStateSchema = z
  .enum(DEPLOYMENT_STATES)
  .meta({ id: 'DeploymentState', description: 'State of a deployment.' })

export const projectStateSchema = z.enum(PROJECT_STATES).meta({
  id: 'ProjectState',
  description: 'State of a project. `deleted` is final.',
})

export const containerBuildStateSchema = z
  .enum(CONTAINER_BUILD_STATES)
  .meta({ id: 'ContainerBuildState', description: 'State of a container build.' })

/** Token of the next page in the /api family. */
const nextTokenSchema = z.string().nullable().describe('`nextToken` of the next page. Null on the last page.')

/** A page of a list in the /api family. `id`: its name in the OpenAPI document. */
export function itemPage<T extends z.ZodType>(item: T, id: string) {
  return z
    .object({ items: z.array(item).describe('Records on this page.'), nextToken: nextTokenSchema })
    .meta({ id, description: 'One page of a list.' })
}

export const EXAMPLE_TIME = '2026-11-22T12:20:23.267Z'
export const EXAMPLE_MCP_ID = 'mcp_4h7k2m9q5w1x8z3c6v0b'
export const EXAMPLE_DEPLOYMENT_ID = 'dep_7m2k9q4w5x1z8c3v6b0h'

export const mcpIdSchema = z.string().meta(described('Id of the build.', EXAMPLE_MCP_ID))

export const deploymentIdSchema = z.string().meta(described('Id of the deployment.', EXAMPLE_DEPLOYMENT_ID))

export const failureSchema = named('Failure', 'Why a build or deployment failed.').object({
  code: z.string().meta(described('Machine-readable error code.', 'TIMEOUT')),
  message: z.string().describe('One sentence for people.'),
  details: z.string().optional().describe('Further detail, for example the last log lines.'),
})

export type Failure = z.infer<typeof failureSchema>
