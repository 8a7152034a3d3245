import { expect, test } from 'vitest'
import { readAnyLine } from '../../src/cli/any-command-line.ts'
import type { Command, OptionDeclaration } from '../../src/cli/command.ts'
import { COMMANDS } from '../../src/cli/command-list.ts'
import { loadCommand } from '../../src/cli/commands.ts'
import { GLOBAL_OPTIONS } from '../../src/cli/global-options.ts'
import { type ParsedCommandLine, readUsualLine } from '../../src/cli/usual-command-line.ts'

const commands = await Promise.all(COMMANDS.map(({ name }) => loadCommand(name)))

/** As typed, for `-x` and `--name` of each option; those without `no-` where it belongs are for both to refuse. */
function flagsOf([key, { short }]: [string, OptionDeclaration]): string[] {
  const name = key.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)
  return [`--${name}`, `--no-${name}`, ...(short ? [`-${short}`] : [])]
}

const VALUES = ['x', '', '-', '-x', '3', '-3', '2.5', '10m', 'production', 'a=b', '--', 'none', 'local']

/** Every flag with every value in both spellings, alone and before and after a word, and numbers of words. */
function linesFor(command: Command): string[][] {
  const options = Object.entries({ ...command.options, ...GLOBAL_OPTIONS }) as [string, OptionDeclaration][]
  const flags = options.flatMap(flagsOf)
  const pieces = [
    ...flags.flatMap(flag => [[flag], [flag, flag], [`${flag}=x`]]),
    ...flags.flatMap(flag => VALUES.flatMap(value => [[flag, value], [`${flag}=${value}`]])),
    ...flags.map((flag, index) => [flag, 'x', flags[(index + 1) % flags.length]!, '3', flag, 'y']),
    ...VALUES.map(value => [value]),
    ...[
      [],
      ['-wq'],
      ['--nothing'],
      ['--', '--json'],
      ['---'],
      ['--=x'],
      ['-='],
      ['a', 'b'],
      ['a', 'b', 'c', 'd'],
    ],
  ]
  const asked = ['--help', '-h']
  return pieces
    .flatMap(piece => [piece, ['word', ...piece], [...piece, 'word'], ['word', ...piece, 'more']])
    .filter(line => !line.some(word => asked.includes(word)))
}

function readByCommander(command: Command, line: string[]): ParsedCommandLine | 'help' | 'refused' {
  try {
    return readAnyLine(command, line)
  } catch {
    return 'refused'
  }
}

test.each(commands)('$name: a line that is read without commander is read as commander reads it', command => {
  let usual = 0
  for (const line of linesFor(command)) {
    const read = readUsualLine(command, line)
    if (!read) continue
    usual++
    expect({ line, read }).toEqual({ line, read: readByCommander(command, line) })
  }
  expect(usual > 0).toBe(!command.passThrough)
})

// Left out are quotes and what a shell does, and the one flag whose value may be left out.
test('what the examples show is read without commander', () => {
  const unusual = commands.flatMap(({ name, examples = [], ...command }) =>
    examples
      .map(example => example.command)
      .filter(line => !/['"|<>$&]| -- | --image/.test(line) && line.startsWith(`mcp ${name}`))
      .filter(line => {
        const words = line.slice(`mcp ${name}`.length).split(' ').filter(Boolean)
        return !readUsualLine({ name, ...command }, words)
      }),
  )
  expect(unusual).toEqual([])
})
