import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { RequestLines } from '../../../src/instance/log/request-line.ts'
import { TenantLog } from '../../../src/instance/log/tenant-log.ts'
import type { Tenant } from '../../../src/shared/instances/instance-protocol.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mcp-log-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

async function linesOf(write: (log: TenantLog) => void, changes: Partial<Tenant> = {}): Promise<string[]> {
  const logFile = join(folder, 'x.log')
  const tenant = { env: { KEY: 'hidden-value' }, logLevel: 'debug', logFile, ...changes }
  const log = new TenantLog(tenant as unknown as Tenant)
  write(log)
  await log.close()
  return readFileSync(logFile, 'utf8').trim().split('\n')
}

test('limits the arguments and answers that are kept per minute, and logs further requests without them', async () => {
  const record = { method: 'tools/call', tool: 'add', ms: 1, failed: false, bytes: 1, requestId: '1' }
  const body = JSON.stringify({ text: 'x'.repeat(15_000) })
  const lines = await linesOf(
    log => {
      for (let count = 0; count < 600; count++) {
        log.request({ ...record, arguments: { count } }, body)
        log.flushNow()
      }
    },
    { logLevel: 'info', recordsBodies: true },
  )
  const omitted = lines.filter(line => JSON.parse(line).bodies === 'omitted')
  expect(lines).toHaveLength(600)
  expect(JSON.parse(lines[0]!)).toMatchObject({
    arguments: { count: 0 },
    answer: { text: expect.stringMatching(/^x{15000}$/) },
  })
  expect(omitted.length).toBeGreaterThan(10)
  expect(lines.join('').length).toBeLessThan(9_000_000)
})

test('bodies beyond the limit per minute are omitted without being redacted first', () => {
  const redactMessage = vi.fn(String)
  const lines = new RequestLines(value => value, redactMessage)
  const record = { method: 'tools/call', tool: 'add', ms: 1, failed: false, bytes: 1, requestId: '1' }
  const answer = JSON.stringify('x'.repeat(15_000))
  const written = Array.from({ length: 600 }, () => lines.format(record, { answer }))
  const kept = written.filter(line => !line.includes('"bodies":"omitted"'))
  expect(kept.length).toBeLessThan(600)
  // The line that reaches the limit is redacted, too.
  expect(redactMessage).toHaveBeenCalledTimes(kept.length + 1)
})

test('logs the caller and error code of a failed request, and that a request was cancelled', async () => {
  const record = { method: 'ping', ms: 1, bytes: 1, requestId: '1', contentLength: '007', replayOf: 'req_1' }
  const lines = await linesOf(log => {
    log.request({ ...record, failed: true, code: -32602, caller: 'local|ada' })
    log.request({ ...record, failed: true, cancelled: true, replayOf: { not: 'text' } })
  })
  const [failed, cancelled] = lines.map(line => JSON.parse(line))
  expect(failed).toMatchObject({ code: -32602, caller: 'local|ada', requestBytes: 7, replayOf: 'req_1' })
  expect(cancelled).toMatchObject({ outcome: 'cancelled', level: 'warn' })
  expect(cancelled).not.toHaveProperty('replayOf')
})

test('redacts the reason for a failure and the URI of a resource', async () => {
  const record = { ms: 1, bytes: 1, requestId: '1' }
  const lines = await linesOf(
    log => {
      const reason = 'HTTP 401: {"api_key":"sk-1","key":"hidden-value"}'
      log.request({ ...record, method: 'tools/call', tool: 'add', failed: true, reason })
      log.request({ ...record, method: 'resources/read', subject: 'db://hidden-value/a', failed: false })
    },
    { logLevel: 'info' },
  )
  expect(JSON.parse(lines[0]!).reason).toBe('HTTP 401: {"api_key":"[redacted]","key":"[redacted]"}')
  expect(JSON.parse(lines[1]!).message).toBe('resources/read db://[redacted]/a')
})

test('logs a request whose answer is nested too deeply to be redacted', async () => {
  const answer = `{"token":1,"deep":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
  const record = { method: 'ping', ms: 1, bytes: 1, requestId: '1', failed: false }
  const lines = await linesOf(log => log.request(record, answer))
  expect(JSON.parse(lines.at(-1)!)).toMatchObject({ method: 'ping', answer: '[redacted]' })
})

test('truncates long text from clients', async () => {
  const long = 'x'.repeat(4_000_000)
  const lines = await linesOf(log => {
    log.request({ method: long, tool: long, requestId: long, ms: 1, failed: false, bytes: 1 })
    log.refusal(400, long)
    log.message('in', { long })
  })
  expect(lines.map(line => line.length < 70_000)).toEqual([true, true, true])
  expect(JSON.parse(lines[0]!).method).toMatch(/^x{1000}… \(3999000 more characters\)$/)
})

test('no logged text adds line breaks, escape sequences or environment values to the file', async () => {
  const lines = await linesOf(log => {
    log.refusal(403, 'Host "a\n{}\u001b[31m hidden-value')
    log.request({ method: 'a\nb', ms: 1, failed: true, bytes: 0, requestId: 'c\nd' })
    log.output('stdout', 'a line with the hidden-value')
    log.server('warn', 'so has the hidden-value this one')
    log.copy({ timestamp: '', level: 'info', stream: 'stderr', message: 'and another hidden-value' })
  })
  expect(lines).toHaveLength(5)
  expect(lines.join()).not.toContain('\u001b')
  expect(lines.join()).not.toContain('hidden-value')
})

test('names the prompt and the reason for a failed request, without secrets', async () => {
  const record = { ms: 1, failed: true, bytes: 0, requestId: '1' }
  const [line] = await linesOf(log =>
    log.request({ method: 'prompts/get', subject: 'greet', reason: 'no hidden-value', ...record }),
  )
  expect(JSON.parse(line!)).toMatchObject({
    message: 'prompts/get greet',
    method: 'prompts/get',
    reason: 'no [redacted]',
  })
})
