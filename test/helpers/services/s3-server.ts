import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { S3Settings } from '../../../src/daemon/builder/storage/s3-client.ts'

/** Two third-party servers. Only the first checks signatures. */
export const S3_SERVERS = ['@20minutes/s3rver', 's3rver'] as const

/** Fault for the next requests whose line (`METHOD path`) matches. */
interface Fault {
  pattern: RegExp
  /** Status to answer with, without calling the server. */
  status?: number
  /** Cuts the connection after this number of bytes of the response body. */
  cutAfterBytes?: number
  /** Replaces the response body. */
  body?: Buffer
  /** Default: 1. */
  times?: number
}

export interface S3Server extends AsyncDisposable {
  settings: S3Settings
  /** `METHOD path` of each request. */
  requests: string[]
  fail(fault: Fault): void
  /** Stops answering. */
  stop(): Promise<void>
}

interface S3rverInstance {
  run(): Promise<AddressInfo>
  close(): Promise<void>
}

export async function startS3(kind: (typeof S3_SERVERS)[number] = 's3rver'): Promise<S3Server> {
  const directory = mkdtempSync(join(tmpdir(), 'mcp-s3-'))
  const S3rver = createRequire(import.meta.url)(kind) as new (options: object) => S3rverInstance
  const options = { port: 0, address: '127.0.0.1', silent: true, directory, vhostBuckets: false }
  const server = new S3rver({ ...options, configureBuckets: [{ name: 'bucket', configs: [] }] })
  const { port } = await server.run()
  const faults: Fault[] = []
  const requests: string[] = []
  const front = createServer((incoming, outgoing) => {
    const line = `${incoming.method} ${incoming.url}`
    requests.push(line)
    const written = () => objectWritten(directory, incoming)
    pass(incoming, outgoing, { port, written }, takeFault(faults, line))
  })
  await new Promise<void>(done => front.listen(0, '127.0.0.1', done))
  const endpoint = `http://127.0.0.1:${(front.address() as AddressInfo).port}`
  const stop = async () => {
    front.closeAllConnections()
    await new Promise(done => front.close(done))
    await server.close()
  }
  return {
    settings: {
      bucket: 'bucket',
      prefix: 'mcp/',
      endpoint,
      region: 'us-east-1',
      credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
    },
    requests,
    fail: fault => faults.push(fault),
    stop,
    async [Symbol.asyncDispose]() {
      if (front.listening) await stop()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

function takeFault(faults: Fault[], line: string): Fault | undefined {
  const index = faults.findIndex(({ pattern }) => pattern.test(line))
  const fault = faults[index]
  if (!fault) return undefined
  fault.times = (fault.times ?? 1) - 1
  if (fault.times === 0) faults.splice(index, 1)
  return fault
}

interface Target {
  port: number
  /** Resolves when the server has written the uploaded object to its file. */
  written(): Promise<void>
}

function pass(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { port, written }: Target,
  fault?: Fault,
): void {
  if (fault?.status) {
    incoming.resume()
    outgoing
      .writeHead(fault.status)
      .end('<Error><Code>InjectedFault</Code><Message>requested by the test</Message></Error>')
    return
  }
  const { method, url, headers } = incoming
  const onward = request(
    { host: '127.0.0.1', port, method, path: url, headers, agent: false },
    async answer => {
      if (method === 'PUT' && answer.statusCode === 200) await written()
      if (fault?.body) {
        answer.resume()
        outgoing.writeHead(200, { 'content-length': fault.body.length }).end(fault.body)
        return
      }
      outgoing.writeHead(answer.statusCode!, answer.headers)
      if (fault?.cutAfterBytes === undefined) return void answer.pipe(outgoing)
      cut(answer, outgoing, fault.cutAfterBytes)
    },
  )
  onward.on('error', () => outgoing.destroy())
  incoming.pipe(onward)
}

/** `s3rver` answers before it has written the whole object, and a read would then return a part of it. */
async function objectWritten(directory: string, { url, headers }: IncomingMessage): Promise<void> {
  if (url!.includes('?')) return // a part of an object, or a bucket
  const file = join(directory, `${decodeURIComponent(url!)}._S3rver_object`)
  const bytes = Number(headers['content-length'])
  const isWhole = () => statSync(file, { throwIfNoEntry: false })?.size === bytes
  while (existsSync(directory) && !isWhole()) await wait(5)
}

function cut(answer: IncomingMessage, outgoing: ServerResponse, bytes: number): void {
  let left = bytes
  answer.on('data', (chunk: Buffer) => {
    outgoing.write(chunk.subarray(0, left), () => left <= 0 && outgoing.destroy())
    left -= chunk.length
  })
}
