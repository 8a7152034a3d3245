import { expect, test } from 'vitest'
import { commandForServer, type ServerInput } from '../../../src/cli/targets/server-input.ts'

const input = (parts: Partial<ServerInput>) => ({ server: 'dice', ...parts }) as ServerInput

test.each([
  [input({}), 'mcp call dice roll sides=6'],
  [input({ env: 'preview' }), 'mcp call dice roll sides=6 --env preview'],
  [input({ server: 'dep_abcd' }), 'mcp call dep_abcd roll sides=6'],
  [input({ server: 'http://a/?b=c&d' }), "mcp call 'http://a/?b=c&d' roll sides=6"],
])('a suggested command names the server as the user did', (given, command) => {
  expect(commandForServer('call', given, 'roll', 'sides=6')).toBe(command)
})
