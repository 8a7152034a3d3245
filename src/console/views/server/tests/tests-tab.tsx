import './tests.css'
import { query } from '../../../router/router.ts'
import type { PlaceProps } from '../tab-props.ts'
import { RunList } from './run-list.tsx'
import { RunView } from './run-view.tsx'

/** Stored runs of test suites against a server. The open run is part of the URL. */
export function TestsTab({ name, environment }: PlaceProps) {
  const run = query.value.get('run')
  return run === null ? (
    <RunList server={name} environment={environment} />
  ) : (
    <RunView key={run} id={run} server={name} environment={environment} />
  )
}
