/** A request to a record in a state, the response, and the resulting state. */
export interface StateChange {
  of: 'build' | 'deployment' | 'container build' | 'project'
  from: string
  asked: string
  /** HTTP status. Empty for an event. */
  answer: number | ''
  then: string
}

const changes = (of: StateChange['of'], lines: string): StateChange[] =>
  lines
    .trim()
    .split('\n')
    .map(line => {
      const [from, asked, answer, then] = line.split('|').map(part => part.trim()) as [
        string,
        string,
        string,
        string,
      ]
      return { of, from, asked, answer: answer && Number(answer), then } as StateChange
    })

export const STATE_CHANGES: readonly StateChange[] = [
  ...changes(
    'build',
    `
    building | it succeeds | | ready
    building | its program exits | | failed
    building | the daemon stops | | failed
    building | DELETE | 409 | building
    building | POST /v1/deploy | 409 | building
    ready | POST /v1/deploy | 201 | ready
    ready | DELETE | 204 | gone
    failed | POST /v1/deploy | 409 | failed
    failed | DELETE | 204 | gone`,
  ),
  ...changes(
    'deployment',
    `
    deploying | it is healthy | | deployed
    deploying | its program exits | | failed
    deploying | the daemon stops | | failed
    deploying | POST …/stop | 200 | stopped
    deploying | POST …/restart | 409 | deploying
    deploying | POST …/rollback | 409 | deploying
    deploying | POST …/reconfigure | 409 | deploying
    deploying | DELETE | 204 | gone
    deployed | the daemon stops | | deployed
    deployed | its program exits repeatedly | | failed
    deployed | POST …/stop | 200 | stopped
    deployed | POST …/start | 409 | deployed
    deployed | POST …/restart | 200 | deployed
    deployed | POST …/rollback | 409 | deployed
    deployed | POST …/reconfigure | 201 | stopped
    deployed | POST /v1/deploy for the same server | 201 | stopped
    deployed | DELETE | 204 | gone
    stopped | POST …/start | 200 | deployed
    stopped | POST …/start while another one is live | 409 | stopped
    stopped | POST …/stop | 409 | stopped
    stopped | POST …/restart | 409 | stopped
    stopped | POST …/reconfigure | 409 | stopped
    stopped | the daemon stops | | stopped
    stopped | DELETE | 204 | gone
    failed | POST …/start | 200 | deployed
    failed | POST …/stop | 409 | failed
    failed | POST …/restart | 409 | failed
    failed | POST …/reconfigure | 409 | failed
    failed | DELETE | 204 | gone`,
  ),
  ...changes(
    'container build',
    `
    pending | its turn comes | | succeeded
    pending | POST …/stop | 200 | stopped
    pending | POST …/trigger for its project | 409 | pending
    in_progress | the daemon stops | | failed
    in_progress | POST …/stop | 200 | stopped
    in_progress | POST …/trigger for its project | 409 | in_progress
    succeeded | POST …/stop | 409 | succeeded
    succeeded | POST …/trigger for its project | 201 | succeeded
    failed | POST …/stop | 409 | failed
    failed | POST …/trigger for its project | 201 | failed
    stopped | POST …/stop | 409 | stopped
    stopped | POST …/trigger for its project | 201 | stopped`,
  ),
  ...changes(
    'project',
    `
    active | PATCH status active | 200 | active
    active | PATCH status archived | 200 | archived
    active | PATCH status deleted | 200 | deleted
    active | PATCH name | 200 | active
    active | PUT …/source | 200 | active
    active | POST …/trigger | 201 | active
    archived | PATCH status active | 200 | active
    archived | PATCH status archived | 200 | archived
    archived | PATCH status deleted | 200 | deleted
    archived | PATCH name | 200 | archived
    archived | PUT …/source | 409 | archived
    archived | POST …/trigger | 409 | archived
    deleted | PATCH status active | 409 | deleted
    deleted | PATCH status archived | 409 | deleted
    deleted | PATCH status deleted | 409 | deleted
    deleted | PATCH name | 409 | deleted
    deleted | PUT …/source | 409 | deleted
    deleted | POST …/trigger | 409 | deleted`,
  ),
]

export function stateTable(): string {
  const rows = STATE_CHANGES.map(
    ({ of, from, asked, answer, then }) => `| ${of} | ${from} | ${asked} | ${answer} | ${then} |\n`,
  )
  return `| a | that is | asked | answers | and is |\n|---|---|---|---|---|\n${rows.join('')}`
}
