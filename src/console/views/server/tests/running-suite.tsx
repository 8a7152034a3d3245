import { counted } from '../../../../shared/counted.ts'
import { Button } from '../../../components/button.tsx'
import { ErrorText } from '../../../components/error-text.tsx'
import { Text } from '../../../components/text.tsx'
import { CaseList } from './case-list.tsx'
import { buildIn } from './rerun.ts'
import { type SuiteSession, suiteSessions } from './suite-session.ts'

/** Progress of the suite that runs in this page, with its finished cases. */
export function RunningSuite({ server }: { server: string }) {
  const session = suiteSessions.value.get(server)
  return session ? <Session session={session} /> : null
}

function Session({ session }: { session: SuiteSession }) {
  const { suite, environment, total } = session
  const cases = session.cases.value
  const error = session.error.value
  return (
    <section class="section running-suite" aria-label="Running suite">
      <div class="section-head">
        <h2 class="wrap">
          <Text value={suite.name ?? 'unnamed suite'} max={100} /> with {buildIn(environment)}
        </h2>
        {error ? (
          <Button icon="close" onClick={() => session.remove()}>
            Dismiss
          </Button>
        ) : (
          <Button icon="stop" onClick={() => session.stop()}>
            Stop
          </Button>
        )}
      </div>
      {error ? (
        <div role="alert">
          <p>The run was not stored.</p>
          <ErrorText error={error} />
        </div>
      ) : (
        <>
          <progress aria-label="Finished cases" value={cases.length} max={total} />
          <p class="muted" role="status">
            {cases.length} of {counted(total, 'case')} finished
          </p>
        </>
      )}
      {cases.length > 0 && <CaseList cases={cases} />}
    </section>
  )
}
