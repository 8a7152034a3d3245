import { definePrompt } from 'mcp-hosting/server'

export default definePrompt({
  description: 'Explains how likely a sum of two dice is',
  arguments: {
    sum: { description: 'The desired sum' },
    sides: { description: 'Sides of each die', required: false, complete: ['4', '6', '8', '10', '12', '20'] },
  },
  handler: ({ sum, sides = '6' }) =>
    `Read dice://odds/${sides} and explain to a child how likely it is that two dice show ${sum} together.`,
})
