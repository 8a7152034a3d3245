import type { KeyRecord } from '../../shared/contract/access/api-keys.ts'
import type { MappingRecord } from '../../shared/contract/deployments/mappings.ts'
import type { StorePage } from '../../shared/contract/servers/server-store.ts'
import type { ChatRecord } from '../../shared/contract/testing/chats.ts'
import type { SuiteRunSummary } from '../../shared/contract/testing/suite-runs.ts'
import { listItems } from '../api/list-items.ts'
import type { ValueKind } from '../command-line/declaration.ts'
import { listProjects } from '../project/projects.ts'
import { promptSchema } from '../testing/tool-arguments.ts'
import { readServerEnv, serverOfProject, VARIABLE_NAME } from '../variables/server-env.ts'
import { type ArgumentSchema, argumentChoices } from './argument-choices.ts'
import { type Choice, type ChoiceSource, summaryOf, type TypedInput } from './choice.ts'
import { serverChoices } from './server-choices.ts'

type ListChoices = (source: ChoiceSource, given: TypedInput) => Promise<Choice[]> | Choice[]

/** Suggested models. Others are accepted too, such as any that starts with `claude-` or `gpt-`. */
const MODELS: readonly Choice[] = [
  { value: 'embedded', doc: 'needs no key and no network' },
  { value: 'claude-sonnet-4-5', doc: 'Anthropic' },
  { value: 'gpt-5.2', doc: 'OpenAI' },
]

/** Lists of values by kind, defined only here. Empty for kinds that cannot be listed, such as files. */
const LISTS: Readonly<Record<ValueKind, ListChoices>> = {
  server: async ({ api }, { typed }) => serverChoices(await api(), typed),
  tool: async (source, given) =>
    (await source.tools(given)).map(one => ({ value: one.name, doc: summaryOf(one.description) })),
  'tool arguments': async (source, given) => {
    const tool = (await source.tools(given)).find(({ name }) => name === given.words.tool?.[0])
    return tool
      ? argumentChoices(tool.inputSchema as ArgumentSchema, given, given.words['tool arguments'])
      : []
  },
  resource: async (source, given) => {
    const { resources, resourceTemplates } = await source.resources(given)
    return [
      ...resources.map(one => ({ value: one.uri, doc: summaryOf(one.description ?? one.name) })),
      ...resourceTemplates.map(one => ({
        value: one.uriTemplate,
        doc: summaryOf(one.description ?? one.name),
      })),
    ]
  },
  prompt: async (source, given) =>
    (await source.prompts(given)).map(one => ({ value: one.name, doc: summaryOf(one.description) })),
  'prompt arguments': async (source, given) => {
    const prompt = (await source.prompts(given)).find(({ name }) => name === given.words.prompt?.[0])
    return prompt ? argumentChoices(promptSchema(prompt), given, given.words['prompt arguments']) : []
  },
  variable: async ({ api, directory }, { words, env = 'development' }) => {
    const { name, given } = await readGivenVariables(directory, words)
    if (name === '') return []
    const { variables } = await readServerEnv(await api(), { name, environment: env as 'development' })
    return variables.filter(one => !given.has(one.name)).map(one => ({ value: one.name }))
  },
  'store key': async ({ api }, { words, typed, env = 'development' }) => {
    const path = `/v1/servers/${encodeURIComponent(words.server?.[0] ?? '')}/store/${env}`
    const { items } = await (await api()).get<StorePage>(path, { prefix: typed, limit: 100 })
    return items.map(({ key, user }) => ({ value: key, doc: user ?? undefined }))
  },
  project: async ({ api }, { typed }) => {
    const all = await listProjects(await api())
    return all.map(one => ({ value: typed.startsWith('prj_') ? one.id : one.name, doc: one.status }))
  },
  key: async ({ api }) => {
    const keys = await listItems<KeyRecord>(await api(), '/api/keys')
    return keys.map(one => ({ value: one.name, doc: one.scopes.join(',') }))
  },
  chat: async ({ api }) => {
    const { items } = await (await api()).get<{ items: ChatRecord[] }>('/api/chats', { limit: 100 })
    return items.map(one => ({ value: one.chatId, doc: `${one.name}, ${one.messageCount} messages` }))
  },
  'suite run': async ({ api }) => {
    const { items } = await (await api()).get<{ items: SuiteRunSummary[] }>('/api/suite-runs', { limit: 100 })
    return items.map(one => ({ value: one.id, doc: `${one.server}, ${one.status}` }))
  },
  subdomain: async ({ api }) => {
    const mappings = await listItems<MappingRecord>(await api(), '/api/lambda-mapping', { limit: 1000 })
    return mappings.map(one => ({ value: one.subdomain, doc: `${one.server} in ${one.environment}` }))
  },
  context: async ({ config }) => {
    const { LOCAL, readConfig } = await import('../api/context.ts')
    const saved = Object.entries(readConfig(config).contexts)
    return [
      { value: LOCAL, doc: 'the local daemon' },
      ...saved.filter(([name]) => name !== LOCAL).map(([value, { apiUrl }]) => ({ value, doc: apiUrl })),
    ]
  },
  model: () => [...MODELS],
  file: () => [],
}

/** Finds the server and the variables given so far. In a project's folder, the first word may be a variable. */
async function readGivenVariables(
  directory: string,
  { server: [first = ''] = [], variable = [] }: TypedInput['words'],
): Promise<{ name: string; given: ReadonlySet<string> }> {
  const here = first === '' || VARIABLE_NAME.test(first) ? await serverOfProject(directory) : undefined
  return { name: here ?? first, given: new Set([first, ...variable]) }
}

/** Values of one kind, without duplicates. Throws the API's errors. */
export async function listChoices(
  kind: ValueKind,
  source: ChoiceSource,
  given: TypedInput,
): Promise<Choice[]> {
  const choices = await LISTS[kind](source, given)
  return [...new Map(choices.map(one => [one.value, one])).values()]
}
