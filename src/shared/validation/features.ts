import type { Template } from '../contract/states.ts'
import type { BuildRequest, Handler } from '../definitions/definitions.ts'
import type { DefinitionProblem } from './definition-problem.ts'

interface Feature {
  path: string
  name: string
  /** Templates that support the feature. The error suggests the last one. */
  templates: readonly Template[]
}

/**
 * Features that the chosen template does not support (docs/definitions.md "The file"). All templates support output
 * schemas and completions.
 */
export function findFeatureProblems(request: BuildRequest): DefinitionProblem[] {
  return listFeatures(request)
    .filter(({ templates }) => !templates.includes(request.template))
    .map(({ path, name, templates }) => ({
      path,
      message: `template "${request.template}" does not support ${name}; set "template": "${templates.at(-1)}"`,
    }))
}

function listFeatures({ tools = [], resources = [], prompts = [], ...request }: BuildRequest): Feature[] {
  return [
    ...(request.page_size === undefined ? [] : [advancedFeature('page_size', 'pagination')]),
    ...(request.source === undefined ? [] : [customFeature('source', 'source archives')]),
    ...(request.program === undefined ? [] : [customFeature('program', 'programs')]),
    ...tools.flatMap(({ handler }, index) => handlerFeatures(`tools[${index}].handler`, handler)),
    ...resources.flatMap(({ handler }, index) => handlerFeatures(`resources[${index}].handler`, handler)),
    ...prompts.flatMap(({ handler }, index) => handlerFeatures(`prompts[${index}].handler`, handler)),
  ]
}

function handlerFeatures(path: string, handler: Handler | undefined): Feature[] {
  if (handler?.type === 'http') return [advancedFeature(path, '"http" handlers')]
  if (handler?.type === 'module') return [customFeature(path, '"module" handlers')]
  return handler?.emit?.length ? [advancedFeature(`${path}.emit`, 'progress and logging')] : []
}

function advancedFeature(path: string, name: string): Feature {
  return { path, name, templates: ['custom', 'advanced'] }
}

function customFeature(path: string, name: string): Feature {
  return { path, name, templates: ['custom'] }
}
