import { relative, resolve } from 'node:path'
import type { BuildRequest } from '../../shared/definitions/definitions.ts'
import { defineCommand } from '../command-line/command.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import {
  fromOpenApi,
  fromTemplate,
  fromToolNames,
  INIT_TEMPLATES,
  type InitTemplate,
  type NewProject,
  serverNameFor,
  writeProject,
} from '../project/new-project.ts'

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
    name: { type: 'string', value: 'name', doc: "the server's name (default: the folder's)" },
    tool: { type: 'list', value: 'name', doc: "name of a tool, replaces the template's definitions" },
    fromOpenapi: { type: 'string', value: 'file', doc: 'OpenAPI 3.0 or 3.1 description in JSON or YAML' },
    force: { type: 'boolean', doc: 'overwrite existing files' },
  },
  examples: {
    'mcp init my-server': 'prompts in a terminal, else creates a basic server',
    'mcp init desk --template advanced --name desk': 'without prompts',
    'mcp init dice --template custom --yes': 'a TypeScript project with one file per tool',
    'mcp init shop --from-openapi openapi.yaml': 'one tool per operation',
  },
  async run(context, input) {
    const directory = resolve(context.cwd, input.dir)
    const answers = input.fromOpenapi ? undefined : await complete(context, directory, input)
    const project = answers
      ? await fromAnswers(answers)
      : await fromOpenApi(resolve(context.cwd, input.fromOpenapi!), nameForOpenApi(directory, input.name))
    writeProject(directory, project.files, input.force)
    report(context, directory, project)
  },
})

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
  input: { name: string | undefined; template: string | undefined; tool: string[] },
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
      { type: 'select', name: 'template', message: 'Template', choices: [...INIT_TEMPLATES] },
      { type: 'input', name: 'tools', message: 'Tools, separated by commas (empty: those of the template)' },
    ],
    {
      ...(input.name && { name: input.name }),
      ...(template && { template }),
      ...(input.tool.length > 0 && { tools: input.tool.join(',') }),
    },
  )
  const tools = String(asked.tools)
    .split(',')
    .map(tool => tool.trim())
    .filter(Boolean)
  return { name: serverNameFor(directory, asked.name), template: asked.template as InitTemplate, tools }
}

function problemOf(check: () => unknown): string | undefined {
  try {
    check()
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

/** Without `--name` the server is named after the description's title. */
function nameForOpenApi(directory: string, name: string | undefined): string | undefined {
  return name === undefined ? undefined : serverNameFor(directory, name)
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
