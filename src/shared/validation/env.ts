import type { BuildRequest } from '../definitions.ts'
import { liquidEngine } from '../liquid.ts'
import { nearestName } from '../names.ts'
import type { DefinitionProblem } from '../validate-definitions.ts'
import { listTemplates } from './templates.ts'

/** Templates that read `env.NAME` without a declaration, and so would always find nothing. */
export function findEnvProblems(request: BuildRequest): DefinitionProblem[] {
  const declared = (request.env ?? []).map(one => (typeof one === 'string' ? one : one.name))
  return listTemplates(request).flatMap(({ path, source }) =>
    envNames(source)
      .filter(name => !declared.includes(name))
      .map(name => ({
        path,
        message: `reads env.${name}, which is not declared: ${advice(name, declared)}`,
      })),
  )
}

function envNames(source: string): string[] {
  if (!source.includes('env')) return []
  const segments = liquidEngine().globalVariableSegmentsSync(liquidEngine().parse(source))
  const names = segments.flatMap(([root, name]) => (root === 'env' && typeof name === 'string' ? [name] : []))
  return [...new Set(names)]
}

function advice(name: string, declared: readonly string[]): string {
  const near = nearestName(name, declared)
  return near ? `did you mean env.${near}?` : `add "${name}" to "env"`
}
