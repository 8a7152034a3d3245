import { expect, test } from 'vitest'
import { completeCommand, repeatedCommand } from '../../../src/cli/output/repeated-command.ts'

test('repeats a command line with a flag before -- and without values that may be secret', () => {
  const repeat = (...words: string[]) => repeatedCommand({ words }, '--yes')
  expect(repeat('chats', 'remove', 'chat 7')).toBe("mcp chats remove 'chat 7' --yes")
  expect(repeat('remove', '--api-key', 'secret', 'weather')).toBe(
    "mcp remove --api-key '<key>' weather --yes",
  )
  expect(repeat('remove', '--api-key=secret', 'weather')).toBe("mcp remove '--api-key=<key>' weather --yes")
  expect(repeat('call', '--token', 'secret')).toBe("mcp call --token '<token>' --yes")
  expect(repeat('import', '--set', 'KEY=secret=1', '--set=PASS=secret', '--set', 'USER')).toBe(
    "mcp import --set 'KEY=<value>' '--set=PASS=<value>' --set USER --yes",
  )
  expect(repeat('deploy', '--command', 'docker run -e KEY=secret mcp/time')).toBe(
    "mcp deploy --command '<command>' --yes",
  )
  expect(repeat('remove', '--', 'weather')).toBe('mcp remove --yes -- weather')
})

test('repeats a command line only if no value that may be secret would be missing', () => {
  const complete = (...words: string[]) => completeCommand({ words }, '--allow-breaking')
  expect(complete('deploy', '--require-test', '0.9', '--set', 'KEY', '-m', 'New name')).toBe(
    "mcp deploy --require-test 0.9 --set KEY -m 'New name' --allow-breaking",
  )
  expect(complete('deploy', '--set', 'KEY=secret')).toBeUndefined()
  expect(complete('deploy', '--command=npx server secret')).toBeUndefined()
})
