import { HostingError } from '../../shared/errors.ts'
import type { TestRequest } from '../../shared/test-runs.ts'
import { defineCommand } from '../command.ts'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import { sendTest } from '../send-test.ts'
import { RUN_OPTIONS, readNumber, readRunSettings } from '../test-options.ts'
import { printTestResult, tellDefaultModel } from '../test-output.ts'
import { resolveTestTarget } from '../test-target.ts'

export default defineCommand({
  name: 'test',
  summary: 'send a message, or a suite of them, to an agent that uses the server',
  arguments: { message: { doc: 'message for the agent', variadic: true } },
  options: {
    ...RUN_OPTIONS,
    model: { type: 'list', value: 'model', doc: 'model of the agent' },
    minSuccessRate: {
      type: 'string',
      value: 'rate',
      doc: 'end with 1 when the success rate is below it, 0 to 1',
    },
  },
  examples: [{ command: 'mcp test "What is the weather in Oslo?"', does: 'the project in this folder' }],
  async run(context, input): Promise<ExitCode> {
    const threshold = readNumber('--min-success-rate', input.minSuccessRate)
    const message = input.message.join(' ')
    if (message === '') throw new HostingError('INVALID_REQUEST', 'There is no message.')
    const target = await resolveTestTarget(context, input)
    if (typeof target === 'number') return target
    const [model] = input.model
    const request: TestRequest = {
      mcp_id: target.mcpId,
      message,
      ...(model ? { ai_model: model } : {}),
      ...readRunSettings(input),
    }
    const result = await context.output.progress(`Testing ${target.name}`, () => sendTest(context, request))
    context.output.result(result, () => printTestResult(context.output, result))
    tellDefaultModel(context.output, model, result.model)
    return threshold !== undefined && result.success_rate < threshold ? EXIT.failed : EXIT.done
  },
})
