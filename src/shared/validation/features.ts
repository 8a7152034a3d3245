import type { BuildRequest, Handler } from '../definitions.ts'
import type { Template } from '../states.ts'
import type { DefinitionProblem } from '../validate-definitions.ts'

interface Feature {
  path: string
  /** What is used, as the subject of a sentence. */
  uses: string
  /** Templates that have it; the last one is what to change to. */
  templates: readonly Template[]
}

const ADVANCED = ['custom', 'advanced'] as const
const CUSTOM = ['custom'] as const

/**
 * What a template may contain (docs/definitions.md "The file"). What only declares something, an output
 * schema or completions, belongs to all of them: a tool without a handler answers with a sample of its output schema.
 */
export function findFeatureProblems(request: BuildRequest): DefinitionProblem[] {
  return listFeatures(request)
    .filter(({ templates }) => !templates.includes(request.template))
    .map(({ path, uses, templates }) => ({
      path,
      message: `${uses} does not belong to template "${request.template}"; set "template": "${templates.at(-1)}"`,
    }))
}

function listFeatures({ tools = [], resources = [], prompts = [], ...request }: BuildRequest): Feature[] {
  return [
    ...(request.page_size === undefined ? [] : [advanced('page_size', 'Pagination')]),
    ...(request.source === undefined
      ? []
      : [{ path: 'source', uses: 'A source archive', templates: CUSTOM }]),
    ...(request.program === undefined ? [] : [{ path: 'program', uses: 'A program', templates: CUSTOM }]),
    ...tools.flatMap(({ handler }, index) => handlerFeatures(`tools[${index}].handler`, handler)),
    ...resources.flatMap(({ handler }, index) => handlerFeatures(`resources[${index}].handler`, handler)),
    ...prompts.flatMap(({ handler }, index) => handlerFeatures(`prompts[${index}].handler`, handler)),
  ]
}

function handlerFeatures(path: string, handler: Handler | undefined): Feature[] {
  if (handler?.type === 'http') return [advanced(path, 'An "http" handler')]
  if (handler?.type === 'module') return [{ path, uses: 'A "module" handler', templates: CUSTOM }]
  return handler?.emit?.length ? [advanced(`${path}.emit`, 'Progress and logging')] : []
}

function advanced(path: string, uses: string): Feature {
  return { path, uses, templates: ADVANCED }
}
