import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { writeFileAtomic } from '../../shared/atomic-file.ts'
import type { Artifact } from '../../shared/definitions/artifact.ts'
import { HostingError } from '../../shared/errors.ts'
import { NODE_RANGE, NODE_VERSIONS } from '../../shared/supported-node.ts'
import { defineCommand } from '../command-line/command.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { packageRoot } from '../local-daemon/package-root.ts'
import { resolveBuild } from '../targets/resolve-id.ts'

export default defineCommand({
  name: 'export',
  description:
    'Write a folder that needs only Node: `node server.mjs` serves MCP on $PORT with the same HTTP layer and protocol versions. With --image, write an archive for docker, podman or skopeo.',
  arguments: { mcpId: { kind: 'server', doc: 'mcp_id or unique prefix, or server name', required: true } },
  options: {
    bundle: {
      type: 'boolean',
      default: false,
      doc: 'write a folder with server.mjs and the artifact (default)',
    },
    image: { type: 'boolean', doc: 'write a container image archive for docker, podman and skopeo' },
    base: {
      type: 'string',
      value: 'image',
      doc: 'base image: registry.example.com/node:24, oci:/folder of an OCI layout, or local',
    },
    out: {
      type: 'string',
      value: 'path',
      doc: 'output folder (default: <name>-export) or archive (<name>.tar)',
    },
    force: { type: 'boolean', doc: 'overwrite existing files' },
  },
  examples: {
    'mcp export weather --bundle': 'write to ./weather-export',
    'PORT=3000 node weather-export/server.mjs': 'run it without mcp',
    'mcp export weather --image && podman load -i weather.tar': 'export and load an image',
    'mcp export notes --image --base registry.example.com/python:3.13': 'a Python program',
  },
  async run(context, { mcpId, image, base, out, force }) {
    if (base !== undefined && !image) throw new HostingError('INVALID_REQUEST', '--base requires --image.')
    const api = await context.api()
    const id = await resolveBuild(api, mcpId)
    const build = `/v1/build/${encodeURIComponent(id)}`
    const { output, cwd } = context
    const artifact = await output.progress(`Exporting ${mcpId}`, () => api.get<Artifact>(`${build}/artifact`))
    const { name } = artifact.server
    if (image) return exportImage(context, { id, name, base, out, force })
    const isCode = hasModules(artifact)
    const directory = resolve(cwd, out ?? `${name}-export`)
    requireEmpty(directory, force)
    const files = await output.progress(`Exporting ${name}`, async update => {
      if (!isCode) return writeBundle(directory, artifact, undefined)
      update(`Exporting ${name}: reading its code`)
      const { bundle } = await api.get<{ bundle: string }>(`${build}/bundle`)
      return writeBundle(directory, artifact, bundle)
    })
    output.result({ mcp_id: id, directory, files }, () => {
      const shown = relative(cwd, directory) || '.'
      output.line(`Exported ${name} to ${shown}: ${files.join(', ')}`)
      output.next({ description: 'Run it', command: `PORT=8080 node ${join(shown, 'server.mjs')}` })
    })
  },
})

async function exportImage(
  { api, output, cwd }: CommandContext,
  { id, name, base, out, force }: ImageExport,
): Promise<void> {
  const file = resolve(cwd, out ?? `${name}.tar`)
  if (existsSync(file) && !force)
    throw new HostingError('CONFLICT', `${file} already exists. Nothing was written.`, {
      next: [{ description: 'Choose another file with --out, or overwrite it with --force' }],
    })
  const client = await api()
  const query = base === undefined ? '' : `?base=${encodeURIComponent(toFullPath(base, cwd))}`
  const path = `/v1/build/${encodeURIComponent(id)}/image${query}`
  const bytes = await output.progress(`Building the image of ${name}`, () => client.download(path, file))
  output.result({ mcp_id: id, file, bytes }, () => {
    const shown = relative(cwd, file)
    output.line(`Exported the image of ${name} to ${shown} (${Math.round(bytes / 1_000_000)} MB)`)
    output.next(
      { description: 'Load it', command: `podman load -i ${shown}` },
      {
        description: 'Copy it to a registry',
        command: `skopeo copy oci-archive:${shown} docker://<registry>/<name>`,
      },
    )
  })
}

interface ImageExport {
  id: string
  name: string
  base: string | undefined
  out: string | undefined
  force: boolean | undefined
}

/** Makes the path of an OCI layout absolute, because the daemon has a different working folder. */
function toFullPath(base: string, cwd: string): string {
  const [, folder, name = ''] = /^oci:([^:]+)(:.+)?$/.exec(base) ?? []
  return folder === undefined ? base : `oci:${resolve(cwd, folder)}${name}`
}

function isProjectFile(name: string): boolean {
  return /^mcp\.config\.\w+$/.test(name)
}

function requireEmpty(directory: string, force: boolean): void {
  if (!existsSync(directory) || readdirSync(directory).length === 0) return
  if (readdirSync(directory).some(isProjectFile))
    throw new HostingError(
      'CONFLICT',
      `${directory} contains a project, whose files would be overwritten. Nothing was written.`,
      { next: [{ description: 'Choose another folder with --out' }] },
    )
  if (force) return
  throw new HostingError('CONFLICT', `${directory} is not empty. Nothing was written.`, {
    next: [{ description: 'Choose another folder with --out, or write into this one with --force' }],
  })
}

/** True for a server with code. Throws INVALID_REQUEST for a program or image, whose code is not part of the artifact. */
function hasModules({ program, server }: Artifact): boolean {
  if (!program || program.type === 'module') return program !== undefined
  throw new HostingError(
    'INVALID_REQUEST',
    `${server.name} is ${program.type === 'image' ? `an image (${program.image})` : `a program (${program.command})`}. It runs without mcp and cannot be exported.`,
  )
}

function writeBundle(directory: string, artifact: Artifact, bundle: string | undefined): string[] {
  mkdirSync(directory, { recursive: true })
  const program = gunzipSync(readFileSync(join(packageRoot(), 'dist', 'standalone.js.gz')))
  writeFileAtomic(join(directory, 'server.mjs'), program, 0o644)
  const files: Record<string, string> = {
    'artifact.json': JSON.stringify(artifact),
    ...(bundle !== undefined && { 'handlers.mjs': bundle }),
    'package.json': `${JSON.stringify(manifestOf(artifact), null, 2)}\n`,
    'README.md': readmeOf(artifact),
  }
  for (const [name, content] of Object.entries(files)) writeFileAtomic(join(directory, name), content, 0o644)
  return ['server.mjs', ...Object.keys(files)]
}

function manifestOf({ server }: Artifact): object {
  return {
    name: server.name.toLowerCase(),
    version: /^\d+\.\d+\.\d+$/.test(server.version) ? server.version : '0.0.0',
    private: true,
    type: 'module',
    engines: { node: NODE_RANGE },
    scripts: { start: 'node server.mjs' },
  }
}

const CODE_NOTE = `
The server's code is in \`handlers.mjs\` and has all permissions of the process. Node can restrict most permissions:
\`node --permission --allow-fs-read=. server.mjs\`, plus \`--allow-net\` since Node 25.
`

function readmeOf({ server, env, program }: Artifact): string {
  const declared = env.map(
    ({ name, description, required, default: fallback }) =>
      `| \`${name}\` | ${description ?? 'set by the server'} | ${fallback ? `\`${fallback}\`` : required ? 'required' : 'none'} |`,
  )
  return `# ${server.title ?? server.name}

An MCP server that needs only ${NODE_VERSIONS}:

\`\`\`sh
PORT=8080 node server.mjs
\`\`\`

MCP is served at \`/mcp\`, the health check at \`/health\`. The log goes to standard output. On SIGTERM, the server finishes open requests and exits.
${program ? CODE_NOTE : ''}
| variable | meaning | default |
|---|---|---|
| \`PORT\` | port to listen on, 0 for any | \`8080\` |
| \`HOST\` | address to listen on; \`0.0.0.0\` in a container | \`127.0.0.1\` |
| \`ALLOWED_HOSTS\` | accepted \`Host\` values in addition to loopback, separated by commas: \`mcp.example.com\` | none |
| \`ALLOWED_ORIGINS\` | origins of web pages that may use the server, separated by commas | none |
| \`LOG_LEVEL\` | \`info\` or \`debug\` | \`info\` |
| \`RECORD_BODIES\` | \`1\` keeps arguments and answers in the log, redacted | \`0\`, or \`1\` with \`LOG_LEVEL=debug\` |
| \`ALLOW_PRIVATE_NETWORK\` | \`1\` lets HTTP calls reach private addresses | none |
| \`STATE_KEY\` | 32 random bytes in Base64, the same for all copies behind one URL | random |
${declared.join('\n')}${declared.length > 0 ? '\n' : ''}`
}
