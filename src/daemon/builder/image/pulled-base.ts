import { existsSync, readFileSync } from 'node:fs'
import { writeFileAtomic } from '../../../shared/atomic-file.ts'
import { isSupportedNode } from '../../../shared/supported-node.ts'
import { type Base, findCommand, isIn, moveEntry, NODE, recordPath, rememberedLayer } from './base.ts'
import { baseEntries, baseKey } from './base-layer.ts'
import type { BaseReference } from './base-reference.ts'
import { type ImagePaths, resolveInImage } from './image-paths.ts'
import type { Layer } from './layer.ts'
import { listFiles } from './layer-files.ts'
import type { Layout } from './layout.ts'
import { parseConfig } from './manifest.ts'
import { findInLayout, type ImageSource, layoutSource, pullImage, registrySource } from './pull.ts'
import { Registry } from './registry.ts'
import { findCredentials } from './registry-auth.ts'

const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/**
 * Base image from a registry or an OCI layout. Adds a layer with this machine's Node if the image has no supported one. The
 * image's own layers are not changed, so they need not be sent to a registry that has them. Throws UPSTREAM_FAILED.
 */
export async function pulledBase(
  layout: Layout,
  reference: BaseReference,
  options: { dockerConfig: string | undefined; signal: AbortSignal | undefined },
): Promise<Base> {
  const { source, wanted } = await openSource(reference, options)
  const { digest, layers, env, paths } =
    readKnown(layout, wanted) ?? (await fetchBase(layout, source, wanted))
  const variables = { PATH: DEFAULT_PATH, ...toVariables(env) }
  const repository = reference.type === 'registry' ? reference.address : undefined
  const base = { origin: { name: source.name, digest, repository }, layers, env: variables, paths }
  const own = hasNode(variables) ? findCommand(base, 'node') : undefined
  if (own) return { ...base, node: own }
  const added = () =>
    baseEntries()
      .filter(({ path }) => path === NODE || !isIn(paths, path))
      .map(one => moveEntry(paths, one))
  const layer = await rememberedLayer(layout, `${digest} ${baseKey()}`, added)
  return { ...base, layers: [...layers, layer], node: `/${resolveInImage(paths, NODE)}` }
}

interface KnownBase {
  digest: string
  layers: Layer[]
  env: string[]
  paths: ImagePaths
}

async function openSource(
  reference: BaseReference,
  { dockerConfig, signal }: { dockerConfig: string | undefined; signal: AbortSignal | undefined },
): Promise<{ source: ImageSource; wanted: string }> {
  if (reference.type === 'layout') {
    const { directory, name } = reference
    return { source: layoutSource(directory), wanted: await findInLayout(directory, name) }
  }
  const { address } = reference
  const credentials = dockerConfig ? await findCredentials(dockerConfig, address.registry) : undefined
  const source = registrySource(new Registry(address, { credentials, signal }))
  return { source: { ...source, name: `${source.name}:${reference.reference}` }, wanted: reference.reference }
}

/** Finds a base by digest without a request to the registry. */
function readKnown(layout: Layout, digest: string): KnownBase | undefined {
  const record = recordPath(layout, digest)
  if (!digest.startsWith('sha256:') || !existsSync(record)) return undefined
  const known = JSON.parse(readFileSync(record, 'utf8')) as KnownBase
  return known.layers.every(layer => layout.blobs.has(layer)) ? known : undefined
}

async function fetchBase(layout: Layout, source: ImageSource, wanted: string): Promise<KnownBase> {
  const { digest, manifest } = await pullImage(source, layout.blobs, wanted)
  const known = readKnown(layout, digest)
  if (known) return known
  const { diffIds, env } = parseConfig(layout.blobs.read(manifest.config.digest), manifest, source.name)
  const layers = manifest.layers.map((layer, index) => ({ ...layer, diffId: diffIds[index]! }))
  const fetched = { digest, layers, env, paths: await listFiles(layout.blobs, layers, source.name) }
  writeFileAtomic(recordPath(layout, digest), JSON.stringify(fetched))
  return fetched
}

/** Official images declare their version of Node. The image itself cannot be run here. */
function hasNode({ NODE_VERSION = '' }: Record<string, string>): boolean {
  return isSupportedNode(NODE_VERSION)
}

function toVariables(env: string[]): Record<string, string> {
  const pairs = env
    .filter(one => one.includes('='))
    .map(one => [one.slice(0, one.indexOf('=')), one.slice(one.indexOf('=') + 1)])
  return Object.fromEntries(pairs)
}
