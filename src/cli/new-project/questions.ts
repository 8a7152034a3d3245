import { HostingError } from '../../shared/errors.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { openPrompts } from '../output/prompt.ts'
import { serverNameFor } from './project-files.ts'
import { EXAMPLES, INIT_TEMPLATES, type InitTemplate } from './templates.ts'
import { checkToolName } from './tool-names.ts'

/** Starting point of a new project. */
export interface Choice {
  name: string
  template: InitTemplate
  tools: string[]
  /** Path or URL of an OpenAPI description. Takes precedence over the template. */
  fromOpenapi: string | undefined
  example: string | undefined
}

/** Values of the flags. */
export interface InitFlags {
  name: string | undefined
  template: string | undefined
  tool: string[]
  fromOpenapi: string | undefined
  example: string | undefined
}

/**
 * Asks at a terminal if no flag names a starting point, unless `--yes` is given. Otherwise uses the flags and the defaults.
 * Throws INVALID_REQUEST for an invalid name.
 */
export async function completeChoice(
  { output, globals }: CommandContext,
  directory: string,
  given: InitFlags,
): Promise<Choice> {
  const known = {
    tools: given.tool,
    template: (given.template ?? 'basic') as InitTemplate,
    fromOpenapi: given.fromOpenapi,
    example: given.example,
  }
  given.tool.forEach(checkToolName)
  checkSources(given)
  const isChosen = [given.template, given.fromOpenapi, given.example].some(one => one !== undefined)
  if (!isChosen && output.interactive && !globals.yes) return ask(directory, given)
  return { ...known, name: serverNameFor(directory, given.name) }
}

/** Throws INVALID_REQUEST for flags that each define the tools. */
function checkSources({ tool, fromOpenapi, example }: InitFlags): void {
  const sources = { tool: tool[0], 'from-openapi': fromOpenapi, example }
  const [first, second] = Object.entries(sources).filter(([, value]) => value !== undefined)
  if (!first || !second) return
  throw new HostingError('INVALID_REQUEST', `--${first[0]} and --${second[0]} cannot be combined.`)
}

async function ask(directory: string, given: InitFlags): Promise<Choice> {
  const prompt = await openPrompts()
  const isTemplate = ({ start }: { start?: string }) => INIT_TEMPLATES.includes(start as InitTemplate)
  const asked = await prompt(
    [
      {
        type: 'input',
        name: 'name',
        message: 'Name of the server',
        default: serverNameFor(directory, undefined),
        validate: (text: string) => problemOf(() => serverNameFor(directory, text)) ?? true,
      },
      { type: 'select', name: 'start', message: 'Start from', choices: STARTS },
      {
        type: 'input',
        name: 'fromOpenapi',
        message: 'File or URL of the OpenAPI description',
        validate: (text: string) => text.trim() !== '' || 'Enter a path such as openapi.yaml, or a URL.',
        when: ({ start }: { start?: string }) => start === 'openapi',
      },
      {
        type: 'input',
        name: 'tools',
        message: 'Tools, separated by commas (empty: the tools of the template)',
        validate: (text: string) => problemOf(() => splitNames(text).forEach(checkToolName)) ?? true,
        when: isTemplate,
      },
    ],
    {
      ...(given.name && { name: given.name }),
      ...(given.tool.length > 0 && { tools: given.tool.join(',') }),
    },
  )
  return {
    name: serverNameFor(directory, asked.name),
    template: isTemplate(asked) ? (asked.start as InitTemplate) : 'basic',
    tools: isTemplate(asked) ? splitNames(String(asked.tools)) : [],
    fromOpenapi: asked.fromOpenapi?.trim(),
    example: EXAMPLES.find(example => example === asked.start),
  }
}

const STARTS = [
  { value: 'basic', name: 'basic     declared answers, no code' },
  { value: 'advanced', name: 'advanced  like basic, plus calls to HTTP APIs, no code' },
  { value: 'custom', name: 'custom    handlers in TypeScript' },
  { value: 'openapi', name: 'openapi   one tool per operation of an HTTP API with an OpenAPI description' },
  { value: 'weather', name: 'weather   a copy of the example, with tools, resources, prompts and tests' },
] satisfies { value: InitTemplate | (typeof EXAMPLES)[number] | 'openapi'; name: string }[]

function splitNames(text: string): string[] {
  return text
    .split(',')
    .map(name => name.trim())
    .filter(Boolean)
}

function problemOf(check: () => unknown): string | undefined {
  try {
    check()
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}
