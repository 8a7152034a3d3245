import { expect, test } from 'vitest'
import { defineCommand } from '../../../src/cli/command-line/command.ts'
import { COMMANDS } from '../../../src/cli/command-line/command-list.ts'
import { loadCommand } from '../../../src/cli/command-line/commands.ts'
import { parseCommandLine } from '../../../src/cli/command-line/parse-command-line.ts'

const command = defineCommand({
  name: 'sample',
  description: 'try every type of option',
  arguments: { first: { doc: 'a word', default: 'one' }, rest: { doc: 'more words', variadic: true } },
  options: {
    wait: { type: 'boolean', doc: 'wait', short: 'w' },
    cache: { type: 'boolean', doc: 'no cache', default: true },
    envFile: { type: 'string', doc: 'a file' },
    size: { type: 'integer', doc: 'a size', default: 3 },
    ratio: { type: 'number', doc: 'a ratio' },
    age: { type: 'duration', doc: 'an age' },
    set: { type: 'list', doc: 'an assignment' },
    message: { type: 'string', doc: 'a message', short: 'm', value: 'text' },
    env: { type: 'string', value: 'environment', doc: 'an environment', choices: ['staging', 'production'] },
    image: { type: 'string', doc: 'an image', isValueOptional: true },
  },
  run: () => {},
})

const ABSENT = { wait: false, cache: true, size: 3, set: [], first: 'one', rest: [] }

test.each<[string[], Record<string, unknown>]>([
  [[], {}],
  [['a'], { first: 'a' }],
  [['a', 'b', 'c'], { first: 'a', rest: ['b', 'c'] }],
  [['--wait', '--no-cache'], { wait: true, cache: false }],
  [['-wq'], { wait: true }],
  [['--env-file', 'x'], { envFile: 'x' }],
  [['--env-file=x=y'], { envFile: 'x=y' }],
  [['--size', '-3'], { size: -3 }],
  [['--ratio=2.5'], { ratio: 2.5 }],
  [['--age', '10m'], { age: 600_000 }],
  [['--set', 'a=1', 'word', '--set=b=2'], { set: ['a=1', 'b=2'], first: 'word' }],
  [['--env', 'staging'], { env: 'staging' }],
  [['--image'], { image: '' }],
  [['--image', 'x'], { image: 'x' }],
  [['--', '--wait'], { first: '--wait' }],
])('parses the command line %j', (argv, expected) => {
  expect(parseCommandLine(command, argv)).toMatchObject({ input: { ...ABSENT, ...expected } })
})

test('accepts global options before, between and after arguments', () => {
  expect(parseCommandLine(command, ['--json', 'a', '-q', 'b', '--timeout=2s', '--no-color'])).toMatchObject({
    globals: { json: true, quiet: true, yes: false, color: false, timeout: 2000 },
    input: { first: 'a', rest: ['b'] },
  })
})

test.each([
  [['--nope'], 'Unknown option "--nope".'],
  [['--env-file'], '--env-file needs a value: --env-file STRING.'],
  [['--env'], '--env needs a value: --env ENVIRONMENT (staging, production).'],
  [['-m'], '--message needs a value: --message TEXT.'],
  [['--timeout'], '--timeout needs a value: --timeout DURATION.'],
  [['--enviroment', 'staging'], 'Unknown option "--enviroment". Did you mean --env?'],
  [['--environment=staging'], 'Unknown option "--environment". Did you mean --env?'],
  [['--sett=A=1\nB=2'], 'Unknown option "--sett". Did you mean --set?'],
  [['--variable=KEY=secret'], 'Unknown option "--variable". Did you mean --set?'],
  [['--no-cahce'], 'Unknown option "--no-cahce". Did you mean --no-cache?'],
  [['--api-ulr=x'], 'Unknown option "--api-ulr". Did you mean --api-url?'],
  [['--verbose'], 'Unknown option "--verbose". Did you mean --debug?'],
  [['--replicas', '2'], /Unknown option "--replicas"\.$/],
  [['--size', 'x'], '--size is "x", expected a whole number.'],
  [['--ratio', '-1'], '--ratio is "-1", expected a number.'],
  [['--age', 'soon'], '--age: "soon" is not a duration'],
  [['--env', 'prod'], 'expected one of staging, production. Did you mean production?'],
  [['--cache'], 'Unknown option "--cache".'],
])('rejects the command line %j', (argv, message) => {
  expect(() => parseCommandLine(command, argv)).toThrow(message)
})

test('passes options unparsed to a command that declares passThrough', () => {
  const argv = ['a', '--nope', '--wait']
  expect(parseCommandLine({ ...command, passThrough: true }, argv)).toMatchObject({
    input: { first: 'a', rest: ['--nope', '--wait'] },
  })
})

// Leaves out examples with quotes or other characters that a shell interprets.
test('parses the examples of every command', async () => {
  for (const { name } of COMMANDS) {
    const loaded = await loadCommand(name)
    const lines = Object.keys(loaded.examples ?? {}).filter(
      line => !/['"|<>$&]/.test(line) && line.startsWith(`mcp ${name}`),
    )
    for (const line of lines) {
      const words = line.slice(`mcp ${name}`.length).split(' ').filter(Boolean)
      expect(() => parseCommandLine(loaded, words), line).not.toThrow()
    }
  }
})
