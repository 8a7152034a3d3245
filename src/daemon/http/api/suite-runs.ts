import * as z from 'zod'
import {
  newSuiteRunSchema,
  suiteRunPageSchema,
  suiteRunSchema,
  suiteRunSummarySchema,
} from '../../../shared/contract/testing/suite-runs.ts'
import type { Services } from '../../services/services.ts'
import { dataEndpoint } from '../endpoint.ts'
import { idSchema, limitSchema, pageTokenSchema, serverFilterSchema } from '../path-ids.ts'

const params = z.object({ id: idSchema.describe('Id of the run.') })

/** Stored runs of test suites. */
export function suiteRunsEndpoints({ suiteRuns }: Services) {
  const record = ({ id }: z.output<typeof params>) => suiteRuns.get(id)

  const createSuiteRun = dataEndpoint({
    operationId: 'createSuiteRun',
    summary: 'Store a finished run of a test suite',
    body: newSuiteRunSchema,
    answers: { 201: { description: 'The run, without its cases.', schema: suiteRunSummarySchema } },
    errors: ['NOT_FOUND'],
    run: ({ body, principal }) => suiteRuns.create(body, principal.name),
  })

  const listSuiteRuns = dataEndpoint({
    operationId: 'listSuiteRuns',
    summary: 'List runs of test suites without their cases, newest first',
    query: z.strictObject({ server: serverFilterSchema, limit: limitSchema, nextToken: pageTokenSchema }),
    answers: { 200: { description: 'A page of runs.', schema: suiteRunPageSchema } },
    run: ({ query: { limit, nextToken, server } }) => suiteRuns.list({ server }, limit, nextToken),
  })

  const getSuiteRun = dataEndpoint({
    operationId: 'getSuiteRun',
    summary: 'Show a run of a test suite with its cases and their transcripts',
    params,
    record,
    answers: { 200: { description: 'The run.', schema: suiteRunSchema } },
    run: ({ params }) => record(params),
  })

  const removeSuiteRun = dataEndpoint({
    operationId: 'removeSuiteRun',
    summary: 'Remove a run of a test suite',
    params,
    record,
    answers: { 204: { description: 'Removed.' } },
    run: ({ params }) => suiteRuns.remove(params.id),
  })

  return { createSuiteRun, listSuiteRuns, getSuiteRun, removeSuiteRun }
}
