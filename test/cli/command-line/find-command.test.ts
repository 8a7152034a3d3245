import { expect, test } from 'vitest'
import { COMMANDS } from '../../../src/cli/command-line/command-list.ts'
import { findCommand } from '../../../src/cli/command-line/find-command.ts'

test.each([
  ['requests show req_1', 'requests show', ['req_1']],
  ['requests --json -q show req_1', 'requests show', ['--json', '-q', 'req_1']],
  ['requests weather', 'requests', ['weather']],
  ['requests --tool export weather', 'requests', ['--tool', 'export', 'weather']],
  ['requests --grep show', 'requests', ['--grep', 'show']],
])('parses "mcp %s" as the command "%s"', (line, name, rest) => {
  const found = findCommand(line.split(' '), COMMANDS)
  expect(found).toMatchObject({ kind: 'command', entry: { name }, rest })
})
