import type { ToolDefinition } from '../../shared/definitions.ts'
import { type Answer, jsonAnswer } from './answer.ts'
import type { Handler } from './handler.ts'
import { sampleOf } from './sample.ts'

export const SAMPLE_META = { 'mcp-hosting/sample': true } as const

/** Stands in for a handler that is not written yet: a value of the output schema, or the arguments themselves. */
export function createSampleHandler({ outputSchema }: ToolDefinition): Handler {
  return ({ args }): Answer => ({
    ...jsonAnswer(outputSchema ? sampleOf(outputSchema, args) : args),
    _meta: { ...SAMPLE_META },
  })
}
