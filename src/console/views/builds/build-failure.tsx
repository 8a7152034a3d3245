import type { BuildRecord } from '../../../shared/contract/builds/builds.ts'
import { Problem } from '../../components/loaded.tsx'
import { Time } from '../../components/time.tsx'
import { failureOf } from '../../model/failure.ts'
import { Link } from '../../router/link.tsx'
import { buildPath } from '../paths.ts'

/** Explains why the newest build of a server failed. */
export function BuildFailure({ build: { mcp_id, created_at, error } }: { build: BuildRecord }) {
  return (
    <div class="stack">
      <p>
        The newest build failed{created_at !== undefined && ' '}
        {created_at !== undefined && <Time at={created_at} />}.{' '}
        <Link to={buildPath(mcp_id)}>Show the build</Link>
      </p>
      <Problem error={failureOf(error)} />
    </div>
  )
}
