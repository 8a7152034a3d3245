import type { ConfigChanges, DeployConfig } from '../../../../../shared/contract/deployments/deploy-config.ts'
import { request } from '../../../../api/client.ts'
import type { Json } from '../../../../schema-form/main.ts'

type Schema = Record<string, unknown>

interface Description {
  components: { schemas: Record<string, Schema & { properties: Schema }> }
}

/** Settings that the form changes. Sign-in and variables have secrets, which the API does not return. */
export type Settings = Omit<DeployConfig, 'auth' | 'env_vars'>

export function settingsOf({ auth: _auth, env_vars: _envVars, ...settings }: DeployConfig): Settings {
  return settings
}

/** JSON Schema of the settings, from the description of the API. */
export async function loadSettingsSchema(signal: AbortSignal): Promise<Schema> {
  const { components } = plainTexts(await request<Description>('GET', '/openapi.json', { signal }))
  const { properties, ...schema } = components.schemas.DeployConfigInput!
  const { auth: _auth, env_vars: _envVars, ...settings } = properties
  return { ...schema, description: undefined, properties: settings, components }
}

/** Removes Markdown syntax from descriptions. */
function plainTexts<T>(value: T): T {
  return JSON.parse(JSON.stringify(value), (name, member) =>
    name === 'description' && typeof member === 'string' ? member.replaceAll('`', '') : member,
  )
}

/** Settings that differ, for a request. */
export function changesOf(before: Settings, after: Json): ConfigChanges {
  const [old, wanted] = [before, after] as [Record<string, Json>, Record<string, Json>]
  const changed = Object.entries(wanted).filter(
    ([name, value]) => JSON.stringify(old[name]) !== JSON.stringify(value),
  )
  const reset = Object.keys(old).filter(name => !Object.hasOwn(wanted, name))
  return { config: Object.fromEntries(changed), reset: reset as NonNullable<ConfigChanges['reset']> }
}

/**
 * Converts the details of an API error to the text that the form can place. Undefined unless every problem names a setting, such
 * as `config.limits.memory_mb: too small`.
 */
export function settingProblems(details: string | undefined): string | undefined {
  const problems = (details ?? '').split(/; (?=config\.)/).map(text => /^config\.([\w.]+): (.*)$/s.exec(text))
  if (problems.some(problem => problem === null)) return undefined
  return JSON.stringify(problems.map(problem => ({ path: problem![1]!.split('.'), message: problem![2] })))
}
