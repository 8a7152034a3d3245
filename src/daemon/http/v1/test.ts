import { testEventSchema, testResultSchema } from '../../../shared/contract/testing/test-results.ts'
import { testRequestSchema } from '../../../shared/contract/testing/test-runs.ts'
import type { Services } from '../../services/services.ts'
import { endpoint } from '../endpoint.ts'

export function testEndpoints({ testRuns }: Services) {
  const runTest = endpoint({
    operationId: 'runTest',
    summary: 'Send a message to an agent that uses a server',
    body: testRequestSchema,
    answers: {
      200: { description: 'Result of the test.', schema: testResultSchema, events: testEventSchema },
    },
    errors: ['NOT_FOUND', 'CONFLICT', 'NOT_RECORDED', 'UPSTREAM_FAILED', 'UNAVAILABLE'],
    async run({ body, signal, accepts }) {
      if (!accepts('text/event-stream')) return { status: 200, data: await testRuns.run(body, signal) }
      return { status: 200, events: testRuns.events(body, signal) }
    },
  })

  return { runTest }
}
