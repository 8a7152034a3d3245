import { defineTool } from 'mcp-hosting/server'
import { roll } from '../src/dice.ts'

export default defineTool({
  description: 'Rolls dice and returns each result and their sum',
  input: {
    type: 'object',
    properties: {
      count: { type: 'integer', minimum: 1, default: 2, description: 'Number of dice' },
      sides: { type: 'integer', minimum: 2, maximum: 1000, default: 6, description: 'Sides of each die' },
    },
    additionalProperties: false,
  },
  output: {
    type: 'object',
    properties: { dice: { type: 'array', items: { type: 'integer' } }, sum: { type: 'integer' } },
    required: ['dice', 'sum'],
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
  handler({ count = 2, sides = 6 }, context) {
    const max = Number(context.env.MAX_DICE)
    if (count > max) throw new Error(`The maximum number of dice is ${max}.`)
    context.debug(`rolling ${count} dice with ${sides} sides`)
    return roll(count, sides)
  },
})
