import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { HostingError } from '../../../shared/errors.ts'
import { type S3Answer, type S3Client, type S3Request, xmlText } from './s3-client.ts'

/** S3 requires at least 5 MiB, except for the last part. */
const PART_BYTES = 8 * 1024 * 1024

/**
 * Sends a file in parts (https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html). The last step creates the
 * object. Aborts the upload after a failure. Throws UPSTREAM_FAILED.
 */
export async function uploadInParts(
  client: S3Client,
  key: string,
  { file, sizeBytes }: { file: string; sizeBytes: number },
): Promise<void> {
  const started = await sendForText(client, { method: 'POST', key, query: { uploads: '' } })
  const uploadId = xmlText(started, 'UploadId')
  if (!uploadId)
    throw new HostingError('UPSTREAM_FAILED', `The object storage did not start the upload of ${key}.`, {
      details: started,
    })
  try {
    const parts = await sendParts(client, { key, uploadId, file, sizeBytes })
    await complete(client, key, uploadId, parts)
  } catch (error) {
    // Leftover parts cost money. Ignores a second failure, which would hide the first.
    await client.send({ method: 'DELETE', key, query: { uploadId } }).then(
      answer => answer.body.dump(),
      () => {},
    )
    throw error
  }
}

async function sendParts(
  client: S3Client,
  { key, uploadId, file, sizeBytes }: { key: string; uploadId: string; file: string; sizeBytes: number },
): Promise<string[]> {
  const tags: string[] = []
  const handle = await open(file, 'r')
  try {
    for (let offset = 0; offset < sizeBytes; offset += PART_BYTES) {
      const bytes = Buffer.alloc(Math.min(PART_BYTES, sizeBytes - offset))
      await handle.read(bytes, 0, bytes.length, offset)
      const digest = createHash('sha256').update(bytes).digest('hex')
      const query = { partNumber: String(tags.length + 1), uploadId }
      const body = { digest, sizeBytes: bytes.length, open: () => bytes }
      const answer = await client.send({ method: 'PUT', key, query, body })
      if (answer.statusCode !== 200) throw await client.failure(answer, `rejected a part of ${key}`)
      tags.push(String(answer.headers.etag))
      await answer.body.dump()
    }
  } finally {
    await handle.close()
  }
  return tags
}

async function complete(client: S3Client, key: string, uploadId: string, tags: string[]): Promise<void> {
  const parts = tags.map(
    (tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${escapeXml(tag)}</ETag></Part>`,
  )
  const bytes = Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`)
  const digest = createHash('sha256').update(bytes).digest('hex')
  const body = { digest, sizeBytes: bytes.length, open: () => bytes }
  const text = await sendForText(client, { method: 'POST', key, query: { uploadId }, body })
  // S3 may report an error after the status 200 (https://docs.aws.amazon.com/AmazonS3/latest/API/API_CompleteMultipartUpload.html).
  if (/<Error>/.test(text))
    throw new HostingError('UPSTREAM_FAILED', `The object storage did not complete the upload of ${key}.`, {
      details: `${xmlText(text, 'Code')}: ${xmlText(text, 'Message')}`,
    })
}

async function sendForText(client: S3Client, input: S3Request): Promise<string> {
  const answer: S3Answer = await client.send(input)
  if (answer.statusCode !== 200) throw await client.failure(answer, `rejected ${input.key}`)
  return answer.body.text()
}

function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, letter => `&#${letter.charCodeAt(0)};`)
}
