import { basename, relative, resolve } from 'node:path'
import type { BuildRequest } from '../../shared/definitions/definitions.ts'
import { HostingError, type NextStep } from '../../shared/errors.ts'
import { quoteShellWord } from '../../shared/shell-words.ts'
import { defineCommand } from '../command-line/command.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { CONFIG, type NewProject, type WrittenFiles, writeProject } from '../new-project/project-files.ts'
import { type Choice, completeChoice } from '../new-project/questions.ts'
import { EXAMPLES, fromExample, fromTemplate, INIT_TEMPLATES } from '../new-project/templates.ts'
import { fromToolNames } from '../new-project/tool-names.ts'
import { CI_SYSTEMS, withWorkflow } from '../new-project/workflow.ts'
import { findProjectFile } from '../project/project.ts'
import { explainRemoteServer, isUrl, urlGiven } from '../project/remote-server.ts'

export default defineCommand({
  name: 'init',
  description:
    'Create a project from a template, an example, or an OpenAPI description. At a terminal, asks which one to use unless an option names it. Never overwrites a file without --force.',
  arguments: { dir: { kind: 'file', doc: 'folder of the project', default: '.' } },
  options: {
    template: {
      type: 'string',
      value: 'template',
      choices: INIT_TEMPLATES,
      doc: 'basic: declared results, advanced: also HTTP calls, custom: TypeScript code (default: basic)',
    },
    name: { type: 'string', value: 'name', doc: "the server's name (default: the folder's)" },
    tool: { type: 'list', value: 'name', doc: "name of a tool; replaces the template's definitions" },
    example: { type: 'string', value: 'example', choices: EXAMPLES, doc: 'copy this example' },
    fromOpenapi: {
      type: 'string',
      value: 'source',
      doc: 'OpenAPI 3.0 or 3.1 description in JSON or YAML: a file or a URL',
    },
    ci: {
      type: 'string',
      value: 'system',
      choices: CI_SYSTEMS,
      doc: 'add a workflow that builds, tests and deploys the project',
    },
    force: { type: 'boolean', doc: 'overwrite existing files' },
  },
  examples: {
    'mcp init my-server': 'asks at a terminal, otherwise creates a basic server',
    'mcp init weather --example weather': 'a copy of a complete example',
    'mcp init desk --template advanced --name desk': 'without questions',
    'mcp init dice --template custom --ci github': 'a TypeScript project with a workflow for GitHub Actions',
    'mcp init shop --from-openapi https://api.example.com/openapi.json': 'one tool per operation',
  },
  async run(context, input) {
    const directory = resolve(context.cwd, checkFolder(input.dir))
    if (!input.force) requireNoProject(directory)
    const choice = await completeChoice(context, directory, input)
    const project = await createProject(context, choice)
    const { files, warnings } = input.ci === undefined ? project : withWorkflow(project)
    const written = writeProject(directory, files, input.force)
    report(context, directory, { name: choice.name, files, warnings, ...written })
  },
})

/** Throws INVALID_REQUEST for a URL. */
function checkFolder(dir: string): string {
  if (isUrl(dir)) throw urlGiven(dir)
  return dir
}

/** Throws CONFLICT for a folder that contains a project, before any question is asked. */
function requireNoProject(directory: string): void {
  const found = findProjectFile(directory)
  if (!found) return
  const text = `${directory} already contains ${basename(found)}. Nothing was written.`
  throw new HostingError('CONFLICT', text, {
    next: [{ description: 'Choose another folder, or overwrite the files in this one with --force' }],
  })
}

async function createProject({ cwd }: CommandContext, choice: Choice): Promise<NewProject> {
  const { name, template, tools, fromOpenapi, example } = choice
  if (example !== undefined) return fromExample(example, name)
  if (tools.length > 0) return fromToolNames(template, name, tools)
  if (fromOpenapi === undefined) return fromTemplate(template, name)
  const { fromOpenApi } = await import('../new-project/from-openapi.ts')
  if (!isUrl(fromOpenapi)) return fromOpenApi(resolve(cwd, fromOpenapi), name)
  return fromOpenApi(fromOpenapi, name).catch(async error => {
    throw error instanceof HostingError ? await explainRemoteServer(fromOpenapi, error) : error
  })
}

function report(
  { output, cwd }: CommandContext,
  directory: string,
  { name, files, warnings, written, kept }: NewProject & WrittenFiles & { name: string },
): void {
  const shown = relative(cwd, directory) || '.'
  output.result({ directory, files: written, kept, warnings }, () => {
    output.line(`Created ${name} in ${shown}:`)
    for (const path of shortenList(written)) output.line(`  ${path}`)
    for (const path of kept) output.note(`Kept the existing ${path}.`)
    for (const warning of warnings) output.note(warning)
    output.next(...nextSteps(shown, requiredVariables(files)))
  })
}

/** Before the first build, `mcp env set` finds the server only in the project's folder. */
function nextSteps(folder: string, variables: readonly string[]): NextStep[] {
  const isInFolder = folder === '.' || variables.length > 0
  const within = (command: string) => (isInFolder ? command : `${command} ${quoteShellWord(folder)}`)
  return [
    ...(isInFolder && folder !== '.'
      ? [{ description: 'Go to the project folder', command: `cd ${quoteShellWord(folder)}` }]
      : []),
    ...variables.map(name => ({ description: `Set ${name}`, command: `mcp env set ${name}` })),
    { description: 'Run it', command: within('mcp up') },
    { description: 'Check the project after a change', command: `${within('mcp build')} --check` },
  ]
}

/** Required variables without a default. */
function requiredVariables(files: NewProject['files']): string[] {
  const config = files.find(({ path }) => path === CONFIG)
  const { env = [] }: BuildRequest = JSON.parse(config?.content ?? '{}')
  return env.flatMap(one =>
    typeof one === 'object' && one.required && one.default === undefined ? [one.name] : [],
  )
}

/** Lists the folder of generated types instead of its files. */
function shortenList(paths: readonly string[]): string[] {
  const isType = (path: string) => path.startsWith('types/')
  const [first] = paths.filter(isType)
  return [...paths.filter(path => !isType(path)).toSorted(), ...(first ? ['types/'] : [])]
}
