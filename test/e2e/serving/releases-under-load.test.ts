import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Call, killUnderLoad, releaseUnderLoad } from '../../../bench/releases/run.ts'
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'

/** A light load. `npm run bench:releases` applies the full one. */
const LOAD = { modern: 2, longSessions: 2, shortSessions: 1, callsPerShortSession: 20 }
/** The requests take a while on a busy machine. */
const LIMIT_MS = 120_000

let daemon: TestDaemon
let call: Call
beforeAll(async () => {
  daemon = await startTestDaemon({ warmSpares: 1 })
  call = async (method, path, body) => {
    const headers = { 'content-type': body instanceof Uint8Array ? 'application/gzip' : 'application/json' }
    const answer = await daemon.api(method, path, { body, headers })
    return answer.body?.success === true ? answer.body.data : answer.body
  }
})
afterAll(() => daemon.close())

describe.each([
  ['declared', 1],
  ['module', 2],
] as const)('a %s server with %i instance(s) under load from both eras', (kind, instances) => {
  test('a server under load loses no request or session during releases and rollbacks, and no wrong release answers', {
    timeout: LIMIT_MS,
  }, async () => {
    const plan = { releases: 3, rollbacks: 1, requests: 400 }
    const report = await releaseUnderLoad({ call, kind, instances, name: `r-${kind}` }, plan, LOAD)
    expect(report).toMatchObject({ faults: [], lost: 0, moved: 0, stale: [] })
    expect(report.requests).toBeGreaterThanOrEqual(plan.requests)
  })

  test('a server under load loses only the running requests of a killed instance', {
    timeout: LIMIT_MS,
  }, async () => {
    const plan = { kills: 2, pauseMs: 200 }
    const report = await killUnderLoad({ call, kind, instances, name: `k-${kind}` }, plan, LOAD)
    expect(report).toMatchObject({ unexcused: [], lost: 0 })
  })
})
