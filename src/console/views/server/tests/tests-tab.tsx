import './tests.css'
import { query } from '../../../router/router.ts'
import type { PlaceProps } from '../tab-props.ts'
import { RunList } from './run-list.tsx'
import { RunView } from './run-view.tsx'
import { RunningSuite } from './running-suite.tsx'

/** Stored runs of test suites against a server. The open run is part of the URL. */
export function TestsTab({ name, environment }: PlaceProps) {
  const place = { name, environment }
  const run = query.value.get('run')
  return (
    <>
      <RunningSuite server={name} />
      {run === null ? <RunList place={place} /> : <RunView key={run} id={run} place={place} />}
    </>
  )
}
