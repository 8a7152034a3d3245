import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from 'node:tls'
import type { MappingRecord } from '../../shared/mappings.ts'
import { defineCommand } from '../command.ts'
import type { CommandContext } from '../command-context.ts'
import { listDeployments, resolveDeployment } from '../resolve-id.ts'

const HANDSHAKE_MS = 5000

interface MappingPage {
  items: MappingRecord[]
  nextToken: string | null
}

export const list = defineCommand({
  name: 'domains list',
  summary: 'the names by which servers are found',
  description:
    "Lists the names that lead to deployed servers: each one's own subdomain and custom domain, and the subdomains mapped to it.",
  examples: [{ command: 'mcp domains list', does: 'every name with what answers there' }],
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
      context.output.table(['NAME', 'KIND', 'SERVER', 'WHERE', 'URL'], rows, 'No server has a name yet.')
      context.output.next({ description: 'Add one', command: 'mcp domains add <subdomain> <deployment>' })
    })
  },
})

export const add = defineCommand({
  name: 'domains add',
  summary: 'lead a subdomain to a deployment',
  description:
    "Leads a subdomain to a deployment's server and environment, and so to whatever is released there later. A domain of your own belongs to the deployment: mcp deploy --domain.",
  arguments: {
    subdomain: { required: true, doc: 'lower-case letters, digits and "-": "team" makes team.localhost' },
    deployment: { required: true, doc: "a deployment's id, a unique prefix of one, or a server's name" },
  },
  examples: [{ command: 'mcp domains add team weather', does: 'http://team.localhost:6280/mcp is weather' }],
  async run({ output, api }, { subdomain, deployment }) {
    const client = await api()
    const deploymentId = await resolveDeployment(client, deployment)
    const path = `/api/lambda-mapping/${encodeURIComponent(subdomain)}`
    const { data: mapping } = await client.request<MappingRecord>('PUT', path, { body: { deploymentId } })
    output.result(mapping, () => {
      output.line(`${mapping.subdomain} leads to ${mapping.server} in ${mapping.environment}`)
      output.fields({ url: mapping.url || undefined, secure: mapping.secureUrl || undefined })
      output.next({ description: 'Reach it by https', command: 'mcp domains trust' })
    })
  },
})

export const remove = defineCommand({
  name: 'domains remove',
  summary: 'remove a mapped subdomain',
  description:
    'Removes a mapped subdomain, or the one that a deployment got by itself. The server keeps its port and its other names.',
  arguments: { subdomain: { required: true, doc: 'the subdomain' } },
  examples: [{ command: 'mcp domains remove team', does: 'the server keeps its other names' }],
  async run({ output, api }, { subdomain }) {
    await (await api()).delete(`/api/lambda-mapping/${encodeURIComponent(subdomain)}`)
    output.result({ removed: subdomain }, () => output.line(`Removed the subdomain ${subdomain}`))
  },
})

export const trust = defineCommand({
  name: 'domains trust',
  summary: 'how to trust the https certificates of this machine',
  description:
    "Tells where the local authority's certificate lies, which signs the certificates of all names, and how programs are made to trust it. The authority is made with the first https connection, at the latest by this command once a server is deployed. No setting of the system is changed.",
  examples: [{ command: 'mcp domains trust', does: 'the commands for this system' }],
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
          'There is no local authority yet: it is made with the first https connection to a server.',
        )
        output.line(`Its certificate will be ${certificate}`)
        return output.next({ description: 'Deploy a server, then ask again', command: 'mcp deploy' })
      }
      output.line(`The local authority's certificate is ${certificate}`)
      output.line('Its key never leaves this machine, and it signs names of your servers alone.')
      output.next(...commands)
    })
  },
})

interface Name {
  name: string
  kind: 'domain' | 'own' | 'mapped'
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
        return { name, kind: name === domain ? 'domain' : 'own', server, environment, url }
      }),
    )
    .filter(({ url }) => url.startsWith('http:'))
  const { items } = await client.get<MappingPage>('/api/lambda-mapping', { limit: 1000 })
  const mapped = items.map(({ subdomain, server, environment, url }): Name => {
    return { name: `${subdomain}.localhost`, kind: 'mapped', server, environment, url }
  })
  return [...own, ...mapped]
}

/** Where a server of this machine is reached by https; undefined where none is, and for a hosted API. */
async function findSecureUrl({ settings, api }: CommandContext): Promise<URL | undefined> {
  if (settings().apiUrl) return undefined
  const deployments = (await listDeployments(await api(), {})) ?? []
  return deployments
    .flatMap(({ named_urls = [] }) => named_urls.map(url => new URL(url)))
    .find(({ protocol, hostname }) => protocol === 'https:' && hostname.endsWith('.localhost'))
}

/** For its handshake the daemon makes the authority. */
async function connectOnce({ hostname: servername, port }: URL): Promise<void> {
  const socket = connect({ host: '127.0.0.1', port: Number(port), servername, rejectUnauthorized: false })
  socket.setTimeout(HANDSHAKE_MS, () => socket.destroy(new Error('no answer')))
  try {
    await once(socket, 'secureConnect')
  } catch {
    // Who asked is told that there is no authority, which is all that matters here.
  } finally {
    socket.destroy()
  }
}

function trustCommands(
  certificate: string,
  url: URL | undefined,
): { description: string; command: string }[] {
  const node = {
    description: 'Node programs, for one run',
    command: `NODE_EXTRA_CA_CERTS='${certificate}' node client.mjs`,
  }
  const curl = url && { description: 'curl', command: `curl --cacert '${certificate}' ${url.origin}/health` }
  const system = {
    darwin: `sudo security add-trusted-cert -d -k /Library/Keychains/System.keychain '${certificate}'`,
    win32: `certutil -addstore -user Root "${certificate}"`,
    linux: `sudo cp '${certificate}' /usr/local/share/ca-certificates/mcp-hosting.crt && sudo update-ca-certificates`,
  }[process.platform as string]
  return [
    node,
    ...(curl ? [curl] : []),
    ...(system ? [{ description: 'All programs of this system', command: system }] : []),
  ]
}
