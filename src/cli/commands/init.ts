import { basename, relative, resolve } from 'node:path'
import type { BuildRequest } from '../../shared/definitions/definitions.ts'
import { HostingError } from '../../shared/errors.ts'
import { defineCommand } from '../command-line/command.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import {
  checkToolName,
  EXAMPLES,
  fromExample,
  fromOpenApi,
  fromTemplate,
  fromToolNames,
  INIT_TEMPLATES,
  type InitTemplate,
  type NewProject,
  serverNameFor,
  writeProject,
} from '../project/new-project.ts'
import { findProjectFile } from '../project/project.ts'

export default defineCommand({
  name: 'init',
  description:
    'Create a project from a template, or an advanced server from an OpenAPI description. Prompts for missing values in a terminal. Overwrites no file without --force.',
  arguments: { dir: { doc: 'folder of the project', default: '.' } },
  options: {
    template: {
      type: 'string',
      value: 'template',
      choices: INIT_TEMPLATES,
      doc: 'basic: declared results, advanced: also HTTP calls, custom: TypeScript code (default: basic)',
    },
    name: {
      type: 'string',
      value: 'name',
      doc: "the server's name (default: the folder's, or that of the description or example)",
    },
    tool: { type: 'list', value: 'name', doc: "name of a tool, replaces the template's definitions" },
    example: { type: 'string', value: 'example', choices: EXAMPLES, doc: 'copy this example' },
    fromOpenapi: { type: 'string', value: 'file', doc: 'OpenAPI 3.0 or 3.1 description in JSON or YAML' },
    force: { type: 'boolean', doc: 'overwrite existing files' },
  },
  examples: {
    'mcp init my-server': 'prompts in a terminal, else creates a basic server',
    'mcp init weather --example weather': 'a copy of a complete example',
    'mcp init desk --template advanced --name desk': 'without prompts',
    'mcp init dice --template custom --yes': 'a TypeScript project with one file per tool',
    'mcp init shop --from-openapi openapi.yaml': 'one tool per operation',
  },
  async run(context, input) {
    const directory = resolve(context.cwd, input.dir)
    if (!input.force) requireNoProject(directory)
    const project = await createProject(context, directory, input)
    writeProject(directory, project.files, input.force)
    report(context, directory, project)
  },
})

/** Throws CONFLICT for a folder that contains a project, before any question is asked. */
function requireNoProject(directory: string): void {
  const found = findProjectFile(directory)
  if (!found) return
  const text = `${directory} already contains ${basename(found)}. Nothing was written.`
  throw new HostingError('CONFLICT', text, {
    next: [{ description: 'Choose another folder, or overwrite its files with --force' }],
  })
}

interface InitInput {
  name: string | undefined
  template: string | undefined
  example: string | undefined
  fromOpenapi: string | undefined
  tool: string[]
}

async function createProject(
  context: CommandContext,
  directory: string,
  input: InitInput,
): Promise<NewProject> {
  const name = input.name === undefined ? undefined : serverNameFor(directory, input.name)
  if (input.example !== undefined) return fromExample(input.example, name)
  if (input.fromOpenapi !== undefined) return fromOpenApi(resolve(context.cwd, input.fromOpenapi), name)
  return fromAnswers(await complete(context, directory, input))
}

interface Answers {
  name: string
  template: InitTemplate
  tools: string[]
}

function fromAnswers({ template, name, tools }: Answers): Promise<NewProject> {
  return tools.length > 0 ? fromToolNames(template, name, tools) : fromTemplate(template, name)
}

/** Prompts for missing values in a terminal, otherwise uses the defaults. */
async function complete(
  { output, globals }: CommandContext,
  directory: string,
  input: InitInput,
): Promise<Answers> {
  const template = input.template as InitTemplate | undefined
  const known = { name: input.name, template, tools: input.tool }
  if (!output.interactive || globals.yes)
    return { ...known, name: serverNameFor(directory, input.name), template: template ?? 'basic' }
  const { default: inquirer } = await import('inquirer')
  const asked = await inquirer.prompt(
    [
      {
        type: 'input',
        name: 'name',
        message: 'Name of the server',
        default: serverNameFor(directory, undefined),
        validate: (text: string) => problemOf(() => serverNameFor(directory, text)) ?? true,
      },
      { type: 'select', name: 'template', message: 'Template', choices: TEMPLATE_CHOICES },
      {
        type: 'input',
        name: 'tools',
        message: 'Tools, separated by commas (empty: those of the template)',
        validate: (text: string) => problemOf(() => splitNames(text).forEach(checkToolName)) ?? true,
      },
    ],
    {
      ...(input.name && { name: input.name }),
      ...(template && { template }),
      ...(input.tool.length > 0 && { tools: input.tool.join(',') }),
    },
  )
  return {
    name: serverNameFor(directory, asked.name),
    template: asked.template as InitTemplate,
    tools: splitNames(String(asked.tools)),
  }
}

const TEMPLATE_CHOICES = [
  { value: 'basic', name: 'basic     declared answers, no code' },
  { value: 'advanced', name: 'advanced  basic and calls to HTTP APIs, no code' },
  { value: 'custom', name: 'custom    handlers in TypeScript' },
] satisfies { value: InitTemplate; name: string }[]

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

function report({ output, cwd }: CommandContext, directory: string, { files, warnings }: NewProject): void {
  const paths = files.map(({ path }) => path)
  const shown = relative(cwd, directory) || '.'
  output.result({ directory, files: paths, warnings }, () => {
    output.line(`Created a project in ${shown}: ${listed(paths).join(', ')}`)
    for (const warning of warnings) output.note(warning)
    output.next(
      { description: 'Run it', command: upCommand(shown, files) },
      { description: 'Check it after a change', command: `mcp build ${shown} --check` },
    )
  })
}

/** `mcp up`, with the variables that the project requires. */
function upCommand(folder: string, files: NewProject['files']): string {
  const config = files.find(({ path }) => path === 'mcp.config.json')
  const { env = [] }: BuildRequest = JSON.parse(config?.content ?? '{}')
  const values = env.flatMap(one =>
    typeof one === 'object' && one.required && one.default === undefined ? [` --set ${one.name}=…`] : [],
  )
  return `mcp up${folder === '.' ? '' : ` ${folder}`}${values.join('')}`
}

/** Lists the folder of generated types instead of its files. */
function listed(paths: readonly string[]): string[] {
  const isType = (path: string) => path.startsWith('types/')
  return [...paths.filter(path => !isType(path)), ...(paths.some(isType) ? ['types/'] : [])]
}
