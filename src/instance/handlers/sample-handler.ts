import type { ToolDefinition } from '../../shared/definitions/definitions.ts'
import { createSampler } from '../samples/create-sampler.ts'
import { jsonAnswer, SAMPLE_META } from './answer.ts'
import type { Handler } from './handler.ts'

/** Placeholder for a missing handler: a value of the output schema, or the arguments themselves. */
export function createSampleHandler({ outputSchema }: ToolDefinition): Handler {
  const sample = outputSchema ? createSampler(outputSchema) : undefined
  return ({ args }) => ({ ...jsonAnswer(sample ? sample(args) : args), _meta: { ...SAMPLE_META } })
}
