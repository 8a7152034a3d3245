import * as z from 'zod'
import { described, named } from '../../json/schema-metadata.ts'
import {
  deploymentIdSchema,
  EXAMPLE_DEPLOYMENT_ID,
  EXAMPLE_TIME,
  environmentSchema,
  isoTime,
} from '../fields.ts'

/** Logs of deployments, previews and container builds. */

const logLineSchema = named('LogLine', 'A log line. Lines about requests have more fields.').looseObject({
  timestamp: isoTime.describe('Time of the line.'),
  stream: z.string().meta(described('Source of the line.', 'stdout')),
  phase: z.string().meta(described('Phase of the container build. For deployments `BUILD` or `RUN`.', 'RUN')),
  message: z.string().describe('Text of the line.'),
  level: z.string().optional().meta(described('Level of the line.', 'info')),
  instance: z.string().optional().describe('Id of the instance that wrote it.'),
  release: z.int().optional().describe('Version of the release that begins with this line.'),
  position: z
    .string()
    .optional()
    .meta(
      described(
        'Position in the log of its instance. It never changes. Absent for lines of builds.',
        '1.4096',
      ),
    ),
})

const namedLogPage = named('LogPage', 'A page of a log.', {
  id: EXAMPLE_DEPLOYMENT_ID,
  status: 'deployed',
  lines: [{ timestamp: EXAMPLE_TIME, stream: 'stdout', phase: 'RUN', message: 'started' }],
  nextToken: null,
})

/** GET /api/lambda-deploy/{id}/logs */
export const logPageSchema = namedLogPage.object({
  id: z.string().describe('Id of the deployment, build or container build.'),
  status: z.string().meta(described('State of the deployment or build.', 'deployed')),
  lines: z.array(logLineSchema).describe('Lines on this page, oldest first.'),
  nextToken: z
    .string()
    .nullable()
    .describe('Pass it as `nextToken` to get the next page. Null if there are no more lines yet.'),
})

const serverLogPageExample = {
  lines: [
    {
      timestamp: EXAMPLE_TIME,
      stream: 'stdout',
      phase: 'RUN',
      message: 'started',
      server: 'greeter',
      environment: 'production',
      deploymentId: EXAMPLE_DEPLOYMENT_ID,
      version: 7,
    },
  ],
  nextToken: null,
}

/** GET /api/servers/{name}/logs and GET /api/logs */
export const serverLogPageSchema = named(
  'ServerLogPage',
  'A page of server logs, across releases.',
  serverLogPageExample,
).object({
  lines: z
    .array(
      named('ServerLogLine', 'A log line with its server and release.').looseObject({
        ...logLineSchema.shape,
        server: z.string().describe('Name of the server.'),
        environment: environmentSchema,
        deploymentId: deploymentIdSchema,
        version: z.int().describe('Version of the release that wrote it.'),
      }),
    )
    .describe('Lines on this page, oldest first.'),
  nextToken: logPageSchema.shape.nextToken,
})

export type ServerLogPage = z.infer<typeof serverLogPageSchema>
export type LogPage = z.infer<typeof logPageSchema>
