import { readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { createArtifact } from '../../fixtures/instance/artifact.ts'
import {
  beginSession,
  messagesOf,
  modern,
  modernHeaders,
  post,
  postModern,
  rpc,
} from '../../helpers/clients/mcp-requests.ts'
import { echo, ScriptedInstances } from './scripted-instances.ts'

const instances = new ScriptedInstances()
const { start, temporaryFolder } = instances

afterEach(() => instances.close())

describe('the log of an instance', () => {
  const lines = (path: string) =>
    readFileSync(path, 'utf8')
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))

  test("the log of an instance contains one line per request in the tenant's file, whose folder is created", async () => {
    const harness = start()
    const logFile = join(temporaryFolder(), 'a', 'b', 'x.log')
    const address = await harness.serve(createArtifact(), { logFile })
    await echo(address, 'never in the log')
    await postModern(address.url, 'tools/call', { name: 'throw' })
    await harness.stop()
    const [ok, failure, failed] = lines(logFile)
    expect(ok).toEqual({
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      level: 'info',
      stream: 'mcp',
      message: 'tools/call echo',
      method: 'tools/call',
      tool: 'echo',
      ms: expect.any(Number),
      outcome: 'ok',
      requestId: '1',
      bytes: expect.any(Number),
      requestBytes: expect.any(Number),
    })
    expect(failure).toMatchObject({ level: 'error', stream: 'server' })
    expect(failed).toMatchObject({ level: 'warn', tool: 'throw', outcome: 'error' })
    expect(readFileSync(logFile, 'utf8')).not.toContain('never in the log')
  })

  test('the log of an instance contains the size of each answer in bytes', async () => {
    const harness = start()
    const logFile = join(temporaryFolder(), 'x.log')
    const { url } = await harness.serve(createArtifact(), { logFile })
    const id = 'ü😀'
    const session = await beginSession(url, '2025-03-26')
    const steps = { name: 'in-steps' }
    const { text: batch } = await post(url, [rpc('ping', {}, id)], session)
    const answers = [
      batch.slice(1, -1),
      (await post(url, rpc('initialize', { protocolVersion: '2025-11-25' }, id))).text,
      (await post(url, rpc('ping', {}, id), session)).text,
      (await post(url, { ...modern('tools/list'), id }, modernHeaders('tools/list'))).text,
    ]
    const streams = [
      await post(url, rpc('tools/call', steps, id), session),
      await post(url, { ...modern('tools/call', steps), id }, modernHeaders('tools/call', 'in-steps')),
    ]
    answers.push(...streams.map(({ text }) => JSON.stringify(messagesOf(text).at(-1)!.json)))
    await harness.stop()
    const logged = lines(logFile).filter(({ requestId }) => requestId === id)
    expect(logged.map(({ bytes }) => bytes)).toEqual(answers.map(answer => Buffer.byteLength(answer)))
  })

  test("the log of an instance shows a client's probe for a missing method in both eras without a warning", async () => {
    const harness = start()
    const logFile = join(temporaryFolder(), 'x.log')
    const address = await harness.serve(createArtifact(), { logFile })
    await postModern(address.url, 'tasks/list')
    await post(address.url, rpc('tasks/list'), await beginSession(address.url))
    await harness.stop()
    const probes = lines(logFile).filter(({ method }) => method === 'tasks/list')
    const probe = { level: 'info', message: 'tasks/list', outcome: 'error', reason: 'Method not found' }
    expect(probes).toMatchObject([probe, probe])
  })

  test('the log of an instance is written to standard output when the tenant has no file', async () => {
    const harness = start()
    const address = await harness.serve(createArtifact())
    await echo(address, 'x')
    await harness.stop()
    expect(harness.output).toContain('"message":"tools/call echo"')
  })

  test('the log of an instance at level debug contains messages in both directions, without secrets', async () => {
    const harness = start()
    const logFile = join(temporaryFolder(), 'x.log')
    const env = { KEY: 'secret-value-1', QUOTED: 'a"b\\c' }
    const address = await harness.serve(createArtifact(), { logFile, logLevel: 'debug', env })
    const session = await beginSession(address.url)
    const args = {
      text: 'it is secret-value-1 and a"b\\c',
      api_key: 'k-123',
      nested: { Authorization: 'Bearer zzz' },
    }
    await post(
      address.url,
      rpc('tools/call', { name: 'echo', arguments: args, _meta: { progressToken: 'visible' } }),
      session,
    )
    await post(address.url, rpc('tools/call', { name: 'throw' }), session)
    await harness.stop()
    const text = readFileSync(logFile, 'utf8')
    const directions = lines(logFile).map(({ message }) => message[0])
    expect(directions).toEqual(expect.arrayContaining(['→', '←']))
    expect(text).toContain('visible')
    for (const secret of ['secret-value-1', 'a\\"b', 'k-123', 'Bearer zzz', session['mcp-session-id']!])
      expect(text).not.toContain(secret)
  })

  test('the log of an instance is held during rotation and loses no line', async () => {
    const harness = start()
    const logFile = join(temporaryFolder(), 'x.log')
    const address = await harness.serve(createArtifact(), { logFile })
    const { id } = address.tenant
    await echo(address, '1')
    await expect.poll(() => lines(logFile).length).toBe(1)
    harness.send({ type: 'hold-log', tenantId: id })
    await harness.message('log-held')
    await echo(address, '2')
    renameSync(logFile, `${logFile}.1`)
    harness.send({ type: 'resume-log', tenantId: id })
    await expect.poll(() => lines(logFile).length).toBe(1)
    expect(lines(`${logFile}.1`)).toHaveLength(1)
  })

  test('the log of an instance loses lines but fails no request when it cannot be written', async () => {
    const harness = start()
    const address = await harness.serve(createArtifact(), { logFile: '/dev/full' })
    for (let index = 0; index < 5; index++) expect((await echo(address, String(index))).status).toBe(200)
    await harness.stop()
  })
})
