import { defineResource } from 'mcp-hosting/server'
import { oddsOfTwo } from '../src/dice.ts'

export default defineResource({
  uri: 'dice://odds/{sides}',
  description: 'Probability of each sum of two dice',
  mimeType: 'application/json',
  complete: { sides: ['4', '6', '8', '10', '12', '20'] },
  handler: ({ sides }) => oddsOfTwo(Math.min(100, Math.max(2, Math.trunc(Number(sides)) || 6))),
})
