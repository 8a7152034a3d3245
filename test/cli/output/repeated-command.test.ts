import { expect, test } from 'vitest'
import { repeatedCommand } from '../../../src/cli/output/repeated-command.ts'

test('repeats a command line with a flag before -- and without the value of --api-key', () => {
  const repeat = (...words: string[]) => repeatedCommand({ words }, '--yes')
  expect(repeat('chats', 'remove', 'chat 7')).toBe("mcp chats remove 'chat 7' --yes")
  expect(repeat('remove', '--api-key', 'secret', 'weather')).toBe(
    "mcp remove --api-key '<key>' weather --yes",
  )
  expect(repeat('remove', '--api-key=secret', 'weather')).toBe("mcp remove '--api-key=<key>' weather --yes")
  expect(repeat('remove', '--', 'weather')).toBe('mcp remove --yes -- weather')
})
