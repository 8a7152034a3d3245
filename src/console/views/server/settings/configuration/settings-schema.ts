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
  const { components } = forReaders(await request<Description>('GET', '/openapi.json', { signal }))
  const { properties, ...schema } = components.schemas.DeployConfigInput!
  const { auth: _auth, env_vars: _envVars, ...settings } = properties
  return { ...schema, description: undefined, properties: settings, components }
}

/** Labels of the settings. The form shows their names as hints, because the API and project files use them. */
const TITLES = new Map([
  ['domain', 'Custom domain'],
  ['scaling', 'Scaling'],
  ['min_instances', 'Minimum number of instances'],
  ['max_instances', 'Maximum number of instances'],
  ['allow_private_network', 'Private network'],
  ['network', 'Network'],
  ['log_level', 'Log level'],
  ['record_bodies', 'Keep arguments and answers'],
  ['timeout_seconds', 'Time limit for a handler'],
  ['session_seconds', 'Idle time of sessions'],
  ['engine', 'Runs in'],
  ['image', 'Image'],
  ['limits', 'Limits'],
  ['memory_mb', 'Memory per instance'],
  ['cpus', 'Processors per instance'],
  ['pids', 'Processes and threads'],
  ['origins', 'Web pages'],
])

/** Settings with labels, and descriptions without Markdown's backticks. */
function forReaders<T>(value: T): T {
  return JSON.parse(JSON.stringify(value), (name, member) => {
    if (name === 'description' && typeof member === 'string') return member.replaceAll('`', '')
    return name === 'properties' ? withTitles(member) : member
  })
}

function withTitles(properties: Record<string, object>): Record<string, object> {
  const titled = Object.entries(properties).map(([name, schema]) => {
    const title = TITLES.get(name)
    return [name, title === undefined ? schema : { ...schema, title }]
  })
  return Object.fromEntries(titled)
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
 * Converts the details of an API error to the JSON from which the form assigns messages to fields. Undefined unless every problem
 * names a setting, such as `config.limits.memory_mb: too small`.
 */
export function settingProblems(details: string | undefined): string | undefined {
  const problems = (details ?? '').split(/; (?=config\.)/).map(text => /^config\.([\w.]+): (.*)$/s.exec(text))
  if (problems.some(problem => problem === null)) return undefined
  return JSON.stringify(problems.map(problem => ({ path: problem![1]!.split('.'), message: problem![2] })))
}
