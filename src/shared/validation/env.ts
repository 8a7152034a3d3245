import type { BuildRequest } from '../definitions/definitions.ts'
import { liquidEngine } from '../definitions/liquid.ts'
import { nearestName } from '../names.ts'
import type { DefinitionProblem } from './definition-problem.ts'
import { listTemplates } from './templates.ts'

/** Templates that read an undeclared `env.NAME`, which never has a value. */
export function findEnvProblems(request: BuildRequest): DefinitionProblem[] {
  const declared = declaredEnv(request)
  return listTemplates(request).flatMap(({ path, source }) =>
    envNames(source)
      .filter(name => !declared.includes(name))
      .map(name => ({
        path,
        message: `reads env.${name}, which is not declared; ${advice(name, declared)}`,
      })),
  )
}

/** Names of the declared variables. */
export function declaredEnv({ env = [] }: BuildRequest): string[] {
  return env.map(declaration => (typeof declaration === 'string' ? declaration : declaration.name))
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
