import type { BuildRecord, SurfaceReport } from '../../../shared/contract/builds/builds.ts'
import { Text } from '../../components/text.tsx'
import { Changes } from '../changes.tsx'
import { usersOf } from './server-build-text.tsx'

/** Tools, resources and prompts of a build, and what it changes for clients of the live deployments. */
export function Surface({ build, report: { items } }: { build: BuildRecord; report: SurfaceReport }) {
  const { tools = [], resources = [], prompts = [] } = build
  const users: readonly string[] = usersOf(build)
  const others = items.filter(({ environment }) => !users.includes(environment))
  return (
    <>
      {others.length > 0 && (
        <section class="section">
          <h2>Changes for clients if this build is deployed</h2>
          <dl class="surface-changes">
            {others.map(({ environment, changes }) => (
              <div key={environment}>
                <dt>{environment}</dt>
                <dd>
                  {changes.length === 0 ? (
                    <span class="muted">none</span>
                  ) : (
                    <Changes changes={countedChanges(changes)} />
                  )}
                </dd>
              </div>
            ))}
          </dl>
        </section>
      )}
      <Names title="Tools" names={tools} />
      <Names title="Resources" names={resources} />
      <Names title="Prompts" names={prompts} />
    </>
  )
}

export function countedChanges(items: SurfaceReport['items'][number]['changes']) {
  const breaking = items.filter(({ kind }) => kind === 'breaking').length
  return { breaking, compatible: items.length - breaking, items }
}

function Names({ title, names }: { title: string; names: readonly string[] }) {
  if (names.length === 0) return null
  return (
    <section class="section">
      <h2>
        {title} <span class="muted">{names.length}</span>
      </h2>
      <ul class="names">
        {names.map(name => (
          <li key={name} class="mono wrap">
            <Text value={name} max={300} />
          </li>
        ))}
      </ul>
    </section>
  )
}
