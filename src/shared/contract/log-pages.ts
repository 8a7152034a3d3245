import * as z from 'zod'
import { EXAMPLE_DEPLOYMENT_ID, EXAMPLE_TIME, isoTime } from './fields.ts'

/** Logs of deployments, previews and container builds. */

const logLineSchema = z
  .looseObject({
    timestamp: isoTime.describe('Time of the line.'),
    stream: z.string().meta({ description: 'Where the line comes from.', examples: ['stdout'] }),
    phase: z.string().meta({
      description: 'Phase of the container build. For deployments `BUILD` or `RUN`.',
      examples: ['RUN'],
    }),
    message: z.string().describe('Text of the line.'),
    level: z
      .string()
      .optional()
      .meta({ description: 'Level of the line.', examples: ['info'] }),
    instance: z.string().optional().describe('Id of the instance that wrote it.'),
  })
  .meta({ id: 'LogLine', description: 'A log line. Lines of requests have further fields.' })

/** GET /api/lambda-deploy/{id}/logs */
export const logPageSchema = z
  .object({
    id: z.string().describe('Id of the deployment, build or container build.'),
    status: z.string().meta({ description: 'Its state.', examples: ['deployed'] }),
    lines: z.array(logLineSchema).describe('Lines on this page, oldest first.'),
    nextToken: z
      .string()
      .nullable()
      .describe('Pass it as `nextToken` to get the next page. Null if there is nothing more yet.'),
  })
  .meta({
    id: 'LogPage',
    description: 'A page of a log.',
    examples: [
      {
        id: EXAMPLE_DEPLOYMENT_ID,
        status: 'deployed',
        lines: [{ timestamp: EXAMPLE_TIME, stream: 'stdout', phase: 'RUN', message: 'started' }],
        nextToken: null,
      },
    ],
  })

export type LogPage = z.infer<typeof logPageSchema>
