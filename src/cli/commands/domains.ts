import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from 'node:tls'
import type { Certificate, CertificateList } from '../../shared/contract/deployments/certificates.ts'
import type { MappingRecord } from '../../shared/contract/deployments/mappings.ts'
import { HostingError } from '../../shared/errors.ts'
import { expiryNote } from '../../shared/format/expiry.ts'
import type { ApiClient } from '../api/client.ts'
import { listItems } from '../api/list-items.ts'
import { defineCommand } from '../command-line/command.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { confirmReplacement } from '../output/prompt.ts'
import { environmentPicker } from '../pickers/choose-environment.ts'
import { listDeployments, resolveDeployment } from '../targets/resolve-id.ts'

const HANDSHAKE_MS = 5000

export const list = defineCommand({
  name: 'domains list',
  description:
    'List the host names of deployed servers: their default subdomains, custom domains and mapped subdomains.',
  examples: { 'mcp domains list': 'every name and its server' },
  async run(context) {
    const names = await listNames(context)
    context.output.result(names, () => {
      const rows = names.map(({ name, kind, server, environment, url }) => [
        name,
        kind,
        server,
        environment,
        url,
      ])
      context.output.table(['NAME', 'KIND', 'SERVER', 'WHERE', 'URL'], rows, 'No server has a host name yet.')
      context.output.next({
        description: 'Add a subdomain',
        command: 'mcp domains add <subdomain> <deployment>',
      })
    })
  },
})

export const add = defineCommand({
  name: 'domains add',
  description:
    'Map a subdomain to the server and environment of a deployment, including later releases. A subdomain that points elsewhere is moved after confirmation. For a custom domain, use mcp deploy --domain.',
  arguments: {
    subdomain: {
      required: true,
      doc: 'lower-case letters, digits and "-", for example "team" for team.localhost',
    },
    deployment: { kind: 'server', required: true, doc: 'deployment id or unique prefix, or server name' },
  },
  examples: { 'mcp domains add team weather': 'serve weather at http://team.localhost:6280/mcp' },
  async run(context, { subdomain, deployment }) {
    const { output } = context
    const client = await context.api()
    const deploymentId = await resolveDeployment(client, deployment, { choose: environmentPicker(context) })
    const path = `/api/lambda-mapping/${encodeURIComponent(subdomain)}`
    const put = (options: object) =>
      client.request<MappingRecord>('PUT', path, { body: { deploymentId, ...options } })
    const mapping = await confirmReplacement(context, {
      request: () => put({}),
      question: () => describeMoved(client, path),
      replace: () => put({ replace: true }),
    })
    output.result(mapping, () => {
      output.line(`Mapped ${mapping.subdomain} to ${mapping.server} in ${mapping.environment}`)
      output.fields({ url: mapping.url || undefined, https: mapping.secureUrl || undefined })
      output.next({ description: 'Use HTTPS', command: 'mcp domains trust' })
    })
  },
})

/** Question about the current target of a subdomain. Undefined when the subdomain is not mapped. */
async function describeMoved(client: ApiClient, path: string): Promise<string | undefined> {
  try {
    const { subdomain, server, environment } = await client.get<MappingRecord>(path)
    return `${subdomain} points to ${server} in ${environment}. Move it?`
  } catch (error) {
    if (error instanceof HostingError && error.code === 'NOT_FOUND') return undefined
    throw error
  }
}

export const remove = defineCommand({
  name: 'domains remove',
  description:
    'Remove a mapped subdomain, or the default subdomain of a deployment. The server keeps its port and its other names.',
  arguments: { subdomain: { kind: 'subdomain', required: true, doc: 'the subdomain' } },
  examples: { 'mcp domains remove team': "keeps the server's other names" },
  async run({ output, api }, { subdomain }) {
    await (await api()).delete(`/api/lambda-mapping/${encodeURIComponent(subdomain)}`)
    output.result({ removed: subdomain }, () => output.line(`Removed subdomain ${subdomain}`))
  },
})

export const certificates = defineCommand({
  name: 'domains certificates',
  description:
    'List the HTTPS certificates of all names: issuer, expiry, and why clients reject one. A name without files in the folder tls of the home gets its certificate from the local authority on its first HTTPS connection.',
  examples: {
    'mcp domains certificates': 'issuer and expiry of each name',
    'mcp domains certificates --json': '{port, items, authority}, with fingerprints',
  },
  async run({ output, api }) {
    const list = await (await api()).get<CertificateList>('/api/certificates')
    output.result(list, () => {
      if (list.port === null) {
        output.line('The daemon does not serve names over HTTPS. Its log says why.')
        return output.next({ description: 'Show the log of the daemon', command: 'mcp daemon logs' })
      }
      const rows = list.items.map(({ host, source, certificate }) => [
        host,
        source === 'file' ? (certificate?.issuer ?? 'unknown') : 'local authority',
        expiryText(certificate) ?? (source === 'file' ? 'unknown' : 'not issued yet'),
      ])
      output.table(['HOST', 'ISSUER', 'EXPIRES'], rows, 'No server has a name yet.')
      for (const { host, problem } of list.items) if (problem) output.line(`${host}: ${problem}`)
      output.fields({ 'local authority': list.authority?.subject, expires: expiryText(list.authority) })
      if (list.items.some(({ source }) => source === 'authority'))
        output.next({ description: 'Trust the local authority', command: 'mcp domains trust' })
    })
  },
})

/** Expiry date such as `2027-01-30`, with a note if it is near or has passed. */
function expiryText(certificate: Certificate | null): string | undefined {
  if (!certificate) return undefined
  const note = expiryNote(certificate.notAfter)
  return `${certificate.notAfter.slice(0, 10)}${note ? ` (${note.text})` : ''}`
}

export const trust = defineCommand({
  name: 'domains trust',
  description:
    'Show the path of the local certificate authority and how to make programs trust it. The first HTTPS connection to a server creates the authority. This command makes such a connection if necessary. Changes no system settings.',
  examples: { 'mcp domains trust': 'commands for this system' },
  async run(context) {
    const { output, paths } = context
    const certificate = join(paths.tls, 'authority.pem')
    const url = await findSecureUrl(context)
    if (url && !existsSync(certificate)) await connectOnce(url)
    const exists = existsSync(certificate)
    const commands = exists ? trustCommands(certificate, url) : []
    output.result({ certificate, exists, commands }, () => {
      if (!exists) {
        output.line(
          'There is no local certificate authority yet. The first HTTPS connection to a server creates it.',
        )
        output.line(`Path of its certificate: ${certificate}`)
        return output.next({
          description: 'Deploy a server, then run this command again',
          command: 'mcp deploy',
        })
      }
      output.line(`Certificate of the local authority: ${certificate}`)
      output.line(
        "The authority's key never leaves this machine and only signs certificates for names of your servers.",
      )
      output.next(...commands)
    })
  },
})

interface Name {
  name: string
  kind: 'domain' | 'built-in' | 'mapped'
  server: string
  environment: string
  url: string
}

async function listNames({ api }: CommandContext): Promise<Name[]> {
  const client = await api()
  const deployments = (await listDeployments(client, {})) ?? []
  const own = deployments
    .filter(({ status }) => status === 'deployed')
    .flatMap(({ name: server = '', environment = '', domain, named_urls = [] }) =>
      named_urls.map((url): Name => {
        const name = new URL(url).hostname
        return { name, kind: name === domain ? 'domain' : 'built-in', server, environment, url }
      }),
    )
    .filter(({ url }) => url.startsWith('http:'))
  const mappings = await listItems<MappingRecord>(client, '/api/lambda-mapping', { limit: 1000 })
  const mapped = mappings.map(({ subdomain, server, environment, url }): Name => {
    return { name: `${subdomain}.localhost`, kind: 'mapped', server, environment, url }
  })
  return [...own, ...mapped]
}

/** HTTPS URL of a server on this machine. Undefined when there is none, and for a hosted API. */
async function findSecureUrl({ settings, api }: CommandContext): Promise<URL | undefined> {
  if (settings().apiUrl) return undefined
  const deployments = (await listDeployments(await api(), {})) ?? []
  return deployments
    .flatMap(({ named_urls = [] }) => named_urls.map(url => new URL(url)))
    .find(({ protocol, hostname }) => protocol === 'https:' && hostname.endsWith('.localhost'))
}

/** Connects once over TLS, which makes the daemon create the authority. */
async function connectOnce({ hostname: servername, port }: URL): Promise<void> {
  const socket = connect({ host: '127.0.0.1', port: Number(port), servername, rejectUnauthorized: false })
  socket.setTimeout(HANDSHAKE_MS, () => socket.destroy(new Error('no answer')))
  try {
    await once(socket, 'secureConnect')
  } catch {
    // The caller checks whether the authority exists now.
  } finally {
    socket.destroy()
  }
}

function trustCommands(
  certificate: string,
  url: URL | undefined,
): { description: string; command: string }[] {
  const node = {
    description: 'In a Node program',
    command: `NODE_EXTRA_CA_CERTS='${certificate}' node client.mjs`,
  }
  const curl = url && {
    description: 'With curl',
    command: `curl --cacert '${certificate}' ${url.origin}/health`,
  }
  const system = {
    darwin: `sudo security add-trusted-cert -d -k /Library/Keychains/System.keychain '${certificate}'`,
    win32: `certutil -addstore -user Root "${certificate}"`,
    linux: `sudo cp '${certificate}' /usr/local/share/ca-certificates/mcp-hosting.crt && sudo update-ca-certificates`,
  }[process.platform as string]
  return [
    node,
    ...(curl ? [curl] : []),
    ...(system ? [{ description: 'In all programs on this system', command: system }] : []),
  ]
}
