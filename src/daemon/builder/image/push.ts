import type { Blobs, Descriptor } from './blobs.ts'
import type { Image } from './image.ts'
import { headerOf, type Registry } from './registry.ts'

export interface PushReport {
  /** Blobs that were sent, and blobs that the registry already had. */
  sent: Descriptor[]
  known: Descriptor[]
}

export interface PushOptions {
  /** Returns another repository of the registry that may have the blob, so that the registry can mount it from there. */
  mountFrom?(digest: string): string | undefined
  /** Receives one line per step. */
  onStep?(line: string): Promise<void> | void
}

/** Pushes an image with a tag. Does not send blobs that the registry has. Throws UPSTREAM_FAILED. */
export async function pushImage(
  registry: Registry,
  blobs: Blobs,
  { descriptor, manifest }: Image,
  tag: string,
  { mountFrom, onStep }: PushOptions = {},
): Promise<PushReport> {
  const report: PushReport = { sent: [], known: [] }
  // The manifest is last, so that an interrupted push does not tag an incomplete image.
  for (const blob of [...manifest.layers, manifest.config]) {
    const isKnown =
      (await hasBlob(registry, blob)) || (await uploadBlob(registry, blobs, blob, mountFrom?.(blob.digest)))
    report[isKnown ? 'known' : 'sent'].push(blob)
    await onStep?.(`${isKnown ? 'known' : 'sent'} ${blob.digest} (${blob.size} bytes)`)
  }
  await putManifest(registry, blobs, descriptor, tag)
  await onStep?.(`tagged ${tag} ${descriptor.digest}`)
  return report
}

async function hasBlob(registry: Registry, { digest }: Descriptor): Promise<boolean> {
  const answer = await registry.send({ method: 'HEAD', path: `blobs/${digest}` })
  await answer.body.dump()
  return answer.statusCode === 200
}

/** Returns true when the registry mounted the blob from the repository `mountFrom`. */
async function uploadBlob(
  registry: Registry,
  blobs: Blobs,
  { digest, size }: Descriptor,
  mountFrom?: string,
): Promise<boolean> {
  const mount = mountFrom ? `?mount=${encodeURIComponent(digest)}&from=${encodeURIComponent(mountFrom)}` : ''
  const started = await registry.send({
    method: 'POST',
    path: `blobs/uploads/${mount}`,
    headers: { 'content-length': '0' },
  })
  if (started.statusCode === 201) {
    await started.body.dump()
    return true
  }
  const location = headerOf(started, 'location')
  if (started.statusCode !== 202 || !location)
    throw await registry.failure(started, 'did not start an upload')
  await started.body.dump()
  const url = registry.url(location)
  url.searchParams.set('digest', digest)
  const headers = { 'content-type': 'application/octet-stream', 'content-length': String(size) }
  const ended = await registry.send({
    method: 'PUT',
    path: url.href,
    headers,
    body: () => blobs.stream(digest),
  })
  if (ended.statusCode !== 201) throw await registry.failure(ended, `rejected ${digest}`)
  await ended.body.dump()
  return false
}

async function putManifest(
  registry: Registry,
  blobs: Blobs,
  { digest, mediaType }: Descriptor,
  tag: string,
): Promise<void> {
  const path = `manifests/${encodeURIComponent(tag)}`
  const known = await registry.send({ method: 'HEAD', path, headers: { accept: mediaType } })
  await known.body.dump()
  if (known.statusCode === 200 && headerOf(known, 'docker-content-digest') === digest) return
  const body = blobs.read(digest)
  const answer = await registry.send({
    method: 'PUT',
    path,
    headers: { 'content-type': mediaType },
    body: () => body,
  })
  if (answer.statusCode !== 201) throw await registry.failure(answer, `rejected the manifest of ${tag}`)
  await answer.body.dump()
}
