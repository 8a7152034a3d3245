import type { Blobs, Descriptor } from './blobs.ts'
import type { Image } from './image.ts'
import { headerOf, type Registry } from './registry.ts'

export interface PushReport {
  /** Blobs that were sent, and those the registry had already. */
  sent: Descriptor[]
  known: Descriptor[]
}

export interface PushOptions {
  /** A repository of the same registry that may have the blob already: it is then mounted from there. */
  mountFrom?(digest: string): string | undefined
  /** One line for each step, as it happens. */
  onStep?(line: string): Promise<void> | void
}

/** Pushes an image under a tag; what the registry has is not sent again. Throws UPSTREAM_FAILED. */
export async function pushImage(
  registry: Registry,
  blobs: Blobs,
  { descriptor, manifest }: Image,
  tag: string,
  { mountFrom, onStep }: PushOptions = {},
): Promise<PushReport> {
  const report: PushReport = { sent: [], known: [] }
  // The manifest comes last: a push that was interrupted leaves no tag that leads to half an image.
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

/** True when the registry took it from its other repository, so that nothing was sent. */
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
  if (started.statusCode !== 202 || !location) throw await registry.failure(started, 'begins no upload')
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
  if (ended.statusCode !== 201) throw await registry.failure(ended, `does not take ${digest}`)
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
  if (answer.statusCode !== 201) throw await registry.failure(answer, `does not take the manifest of ${tag}`)
  await answer.body.dump()
}
