import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, describe, expect, test } from 'vitest'
import { FileStorage } from '../../src/daemon/builder/storage/file-storage.ts'
import type { ObjectStorage } from '../../src/daemon/builder/storage/object-storage.ts'
import { S3Storage } from '../../src/daemon/builder/storage/s3-storage.ts'
import { S3_SERVERS, startS3 } from '../helpers/services/s3-server.ts'

const directory = mkdtempSync(join(tmpdir(), 'mcp-storage-'))
const cleanUps: (() => unknown)[] = []
afterAll(async () => {
  for (const cleanUp of cleanUps) await cleanUp()
  rmSync(directory, { recursive: true, force: true })
})

const MIB = 1024 * 1024
const DRIVERS: Record<string, () => Promise<ObjectStorage>> = {
  files: async () => new FileStorage(mkdtempSync(join(directory, 'files-'))),
}
for (const kind of S3_SERVERS)
  DRIVERS[kind] = async () => {
    const server = await startS3(kind)
    cleanUps.push(() => server[Symbol.asyncDispose]())
    return new S3Storage(server.settings)
  }

describe.each(Object.entries(DRIVERS))('object storage: %s', (name, open) => {
  test('lists the keys with a prefix', async () => {
    const storage = await open()
    const object = makeObject(10)
    expect(await storage.list('listed/')).toEqual([])
    const keys = ['listed/a/1.json', 'listed/a/2.json', 'listed/b c.json']
    for (const key of keys.toReversed()) await storage.put(key, object.file, object)
    expect(await storage.list('listed/')).toEqual(keys)
    expect(await storage.list('listed/a/')).toEqual(keys.slice(0, 2))
    for (const key of keys) await storage.remove(key)
    expect(await storage.list('listed/')).toEqual([])
  })

  test('stores, returns and removes an object, even if it is stored or removed twice', async () => {
    const storage = await open()
    const object = makeObject(3 * MIB)
    await storage.put('sources/a.tar.gz', object.file, object)
    await storage.put('sources/a.tar.gz', object.file, object)
    expect((await readAll(storage, 'sources/a.tar.gz', object.digest)).equals(object.bytes)).toBe(true)
    await storage.remove('sources/a.tar.gz')
    await storage.remove('sources/a.tar.gz')
    expect(await storage.read('sources/a.tar.gz', object.digest)).toBeUndefined()
  })

  test('stores an empty object and an object of a single byte', async () => {
    const storage = await open()
    for (const size of [0, 1]) {
      const object = makeObject(size)
      await storage.put(`artifacts/${size}.json`, object.file, object)
      expect(await readAll(storage, `artifacts/${size}.json`, object.digest)).toEqual(object.bytes)
    }
  })

  test('stores objects that are larger than one part', async () => {
    const storage = await open()
    const object = makeObject(16 * MIB + 17)
    await storage.put('sources/large.zip', object.file, object)
    const found = await readAll(storage, 'sources/large.zip', object.digest)
    expect(found.equals(object.bytes)).toBe(true)
  })

  test('rejects stored content that does not match the digest', async () => {
    const storage = await open()
    const object = makeObject(1000)
    await storage.put('sources/a.zip', object.file, object)
    const read = readAll(storage, 'sources/a.zip', createHash('sha256').update('else').digest('hex'))
    await expect(read).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: `${storage.locate('sources/a.zip')} does not match its digest.`,
    })
  })

  test('returns undefined for an object that was never stored', async () => {
    const storage = await open()
    expect(await storage.read('sources/none.zip', 'a'.repeat(64))).toBeUndefined()
  })

  test('recognizes only the locations of its own sources', async () => {
    const storage = await open()
    const location = storage.locate('sources/a b.zip')
    expect(location).toMatch(name === 'files' ? /^file:\/\/\// : /^s3:\/\/bucket\/mcp\/sources\//)
    expect(storage.keyOf(location)).toBe('sources/a b.zip')
    const elsewhere = [
      's3://other/mcp/a.zip',
      'file:///etc/passwd',
      'https://example.com/a.zip',
      'weather',
      '',
    ]
    const outside = [
      `${storage.locate('sources')}/../../daemon.db`,
      `${storage.locate('sources')}/../secret.key`,
    ]
    for (const one of [...elsewhere, ...outside]) expect([one, storage.keyOf(one)]).toEqual([one, undefined])
  })
})

describe('faults of object storage', () => {
  test('retries after temporary faults: 429, 503, failed parts and cut connections', async () => {
    await using server = await startS3()
    const storage = new S3Storage(server.settings)
    const object = makeObject(16 * MIB)
    server.fail({ pattern: /^POST .*uploads/, status: 503 })
    server.fail({ pattern: /^PUT .*partNumber=2/, status: 500, times: 2 })
    await storage.put('sources/a.zip', object.file, object)
    server.fail({ pattern: /^GET /, status: 429 })
    server.fail({ pattern: /^GET /, cutAfterBytes: 100_000, times: 3 })
    const found = await readAll(storage, 'sources/a.zip', object.digest)
    expect(found.equals(object.bytes)).toBe(true)
    expect(server.requests.filter(line => line.startsWith('GET ')).length).toBe(5)
  })

  test('reports a persistent fault and aborts the unfinished upload', async () => {
    await using server = await startS3()
    const storage = new S3Storage(server.settings)
    const object = makeObject(16 * MIB)
    server.fail({ pattern: /^PUT .*partNumber=2/, status: 503, times: 10 })
    await expect(storage.put('sources/a.zip', object.file, object)).rejects.toMatchObject({
      code: 'UPSTREAM_FAILED',
      message: expect.stringContaining('HTTP 503'),
      details: 'InjectedFault: requested by the test',
    })
    expect(server.requests.at(-1)).toMatch(/^DELETE .*uploadId=/)
    expect(await storage.read('sources/a.zip', object.digest)).toBeUndefined()
  })

  test('a download that is interrupted at every attempt fails', async () => {
    await using server = await startS3()
    const storage = new S3Storage(server.settings)
    const object = makeObject(MIB)
    await storage.put('sources/a.zip', object.file, object)
    server.fail({ pattern: /^GET /, cutAfterBytes: 0, times: 20 })
    await expect(readAll(storage, 'sources/a.zip', object.digest)).rejects.toMatchObject({
      code: 'UPSTREAM_FAILED',
      message: expect.stringContaining('s3://bucket/mcp/sources/a.zip was interrupted'),
    })
  })

  test('a wrong key fails immediately at a server that checks signatures', async () => {
    await using server = await startS3('@20minutes/s3rver')
    const object = makeObject(10)
    const credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'wrong' }
    const storage = new S3Storage({ ...server.settings, credentials })
    await expect(storage.put('sources/a.zip', object.file, object)).rejects.toMatchObject({
      code: 'UPSTREAM_FAILED',
      message: expect.stringMatching(/denied access: HTTP 403/),
      details: expect.stringContaining('SignatureDoesNotMatch'),
    })
    expect(server.requests.length).toBe(1)
  })

  test('distinguishes a missing bucket from a missing object', async () => {
    await using server = await startS3()
    const storage = new S3Storage({ ...server.settings, bucket: 'other' })
    await expect(storage.read('sources/a.zip', 'a'.repeat(64))).rejects.toMatchObject({
      code: 'UPSTREAM_FAILED',
      details: expect.stringContaining('NoSuchBucket'),
    })
  })

  test('the error for an unreachable server names its host', async () => {
    const server = await startS3()
    await server.stop()
    await using _server = server
    const storage = new S3Storage(server.settings)
    await expect(storage.read('sources/a.zip', 'a'.repeat(64))).rejects.toMatchObject({
      code: 'UPSTREAM_FAILED',
      message: expect.stringContaining(new URL(server.settings.endpoint!).host),
    })
  })

  test('a full disk leaves no partial file', async () => {
    const storage = new FileStorage(join(directory, 'full'))
    const object = makeObject(2 * MIB)
    const script = `
      import { FileStorage } from ${JSON.stringify(new URL('../../src/daemon/builder/storage/file-storage.ts', import.meta.url).href)}
      const [directory, file, digest] = process.argv.slice(1)
      await new FileStorage(directory).put('sources/a.zip', file, { digest, sizeBytes: 1 }).catch(error =>
        console.log(JSON.stringify({ code: error.code, message: error.message })))`
    const limited = 'ulimit -f 1024; exec "$0" --input-type=module -e "$1" "$2" "$3" "$4"'
    const output = execFileSync(
      'sh',
      ['-c', limited, process.execPath, script, join(directory, 'full'), object.file, object.digest],
      { encoding: 'utf8' },
    )
    expect(JSON.parse(output)).toEqual({
      code: 'UNAVAILABLE',
      message: expect.stringMatching(/^The disk is full: .*a\.zip was not written \(EFBIG\)\.$/),
    })
    expect(readdirSync(join(directory, 'full', 'sources'))).toEqual([])
    expect(await storage.read('sources/a.zip', object.digest)).toBeUndefined()
  })
})

function makeObject(size: number) {
  const bytes = randomBytes(size)
  const file = join(directory, `${readdirSync(directory).length}.bin`)
  writeFileSync(file, bytes)
  return { bytes, file, sizeBytes: size, digest: createHash('sha256').update(bytes).digest('hex') }
}

async function readAll(storage: ObjectStorage, key: string, digest: string): Promise<Buffer> {
  const chunks = await storage.read(key, digest)
  return chunks ? buffer(chunks) : Buffer.from('there is none')
}
