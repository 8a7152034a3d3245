import { expect, test } from 'vitest'
import { repeatedCommand } from '../../../src/cli/output/repeated-command.ts'

test('repeats a command line with a flag before -- and without values that may be secret', () => {
  const repeat = (...words: string[]) => repeatedCommand({ words }, '--yes')
  expect(repeat('chats', 'remove', 'chat 7')).toBe("mcp chats remove 'chat 7' --yes")
  expect(repeat('remove', '--api-key', 'secret', 'weather')).toBe(
    "mcp remove --api-key '<key>' weather --yes",
  )
  expect(repeat('remove', '--api-key=secret', 'weather')).toBe("mcp remove '--api-key=<key>' weather --yes")
  expect(repeat('import', '--set', 'KEY=secret=1', '--set=PASS=secret', '--set', 'USER')).toBe(
    "mcp import --set 'KEY=<value>' '--set=PASS=<value>' --set USER --yes",
  )
  expect(repeat('remove', '--', 'weather')).toBe('mcp remove --yes -- weather')
})
