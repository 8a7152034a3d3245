import type { operations } from './api.d.ts'
import * as sdk from './hey-api/index.ts'

const path = {
  id: { path: { id: 'x' } },
  build: { path: { mcp_id: 'x' } },
  deployment: { path: { deployment_id: 'x' } },
  chat: { path: { chatId: 'x' } },
  vendor: { path: { vendor: 'anthropic' } },
  server: { path: { name: 'shop' } },
  serverEnv: { path: { name: 'shop', environment: 'staging' as const } },
  ofServer: { path: { name: 'shop', id: 'x' } },
  subdomain: { path: { subdomain: 'weather' } },
}

/** A call to every operation, as @hey-api/openapi-ts types it. An operation without a call does not compile. */
export const calls = {
  getDaemonHealth: () => sdk.getDaemonHealth(),
  getOpenApi: () => sdk.getOpenApi(),
  getPrometheusMetrics: () => sdk.getPrometheusMetrics(),
  createBuild: () =>
    sdk.createBuild({
      body: {
        name: 'greeter',
        template: 'advanced',
        tools: [
          {
            name: 'greet',
            description: 'Greets a person.',
            inputSchema: { type: 'object', properties: { name: { type: 'string' } } },
            handler: { type: 'template', text: 'Hello, {{ name }}!' },
          },
          {
            name: 'weather',
            description: 'Current weather.',
            inputSchema: { type: 'object' },
            handler: { type: 'http', url: 'https://api.example.com/' },
          },
        ],
        resources: [{ uri: 'docs://readme', name: 'readme', description: 'Read me.', text: 'Hi' }],
        prompts: [{ name: 'review', description: 'Reviews code.', template: 'Review {{ code }}' }],
        data: { cities: ['Bern', 1, null] },
        env: ['TOKEN', { name: 'REGION', default: 'eu' }],
      },
    }),
  listBuilds: () => sdk.listBuilds({ query: { status: 'ready', limit: 10 } }),
  getBuild: () => sdk.getBuild(path.build),
  getInspector: () => sdk.getInspector(path.build),
  getArtifact: () => sdk.getArtifact(path.build),
  getBundle: () => sdk.getBundle(path.build),
  getImage: () => sdk.getImage(path.build),
  getSurface: () => sdk.getSurface(path.build),
  removeBuild: () => sdk.removeBuild(path.build),
  runTest: () =>
    sdk.runTest({
      body: { mcp_id: 'x', message: 'Greet Ada.', context: { user_id: 'u1', session_data: { a: [1] } } },
    }),
  createDeployment: () =>
    sdk.createDeployment({
      body: {
        mcp_id: 'x',
        environment: 'production',
        config: { scaling: { max_instances: 2 }, env_vars: { TOKEN: 'x' } },
      },
    }),
  listDeployments: () => sdk.listDeployments({ query: { environment: 'staging' } }),
  getDeploymentStatus: () => sdk.getDeploymentStatus(path.deployment),
  stopDeployment: () => sdk.stopDeployment(path.deployment),
  startDeployment: () => sdk.startDeployment({ ...path.deployment, headers: { Prefer: 'respond-async' } }),
  restartDeployment: () => sdk.restartDeployment(path.deployment),
  rollbackDeployment: () => sdk.rollbackDeployment(path.deployment),
  reconfigureDeployment: () =>
    sdk.reconfigureDeployment({
      ...path.deployment,
      body: { config: { scaling: { min_instances: 2 } }, reset: ['log_level'] },
    }),
  removeDeployment: () => sdk.removeDeployment(path.deployment),
  getServerEnv: () => sdk.getServerEnv(path.serverEnv),
  changeServerEnv: () =>
    sdk.changeServerEnv({
      ...path.serverEnv,
      body: { variables: { SHOP_URL: 'x', API_KEY: { value: 'x', secret: true }, OLD: null } },
    }),
  releaseServerEnv: () => sdk.releaseServerEnv(path.serverEnv),
  listStoreEntries: () => sdk.listStoreEntries({ ...path.serverEnv, query: { prefix: 'note/' } }),
  changeStoreEntries: () =>
    sdk.changeStoreEntries({ ...path.serverEnv, body: { set: [{ key: 'a', value: { at: 1 } }] } }),
  removeServer: () => sdk.removeServer(path.server),
  listUnused: () => sdk.listUnused(),
  removeUnused: () => sdk.removeUnused({ body: { items: [] } }),
  listReleases: () => sdk.listReleases({ ...path.server, query: { environment: 'staging' } }),
  getServerLog: () => sdk.getServerLog(path.server),
  getAllLogs: () => sdk.getAllLogs({ query: { level: 'warn' } }),
  getServerMetrics: () => sdk.getServerMetrics(path.server),
  createProject: () => sdk.createProject({ body: { name: 'weather' } }),
  listProjects: () => sdk.listProjects(),
  getProject: () => sdk.getProject(path.id),
  updateProject: () => sdk.updateProject({ ...path.id, body: { status: 'archived' } }),
  putProjectSource: () => sdk.putProjectSource({ ...path.id, body: new Blob([]) }),
  triggerContainerBuild: () => sdk.triggerContainerBuild({ path: { projectId: 'x' } }),
  listContainerBuilds: () => sdk.listContainerBuilds(),
  getContainerBuild: () => sdk.getContainerBuild(path.id),
  stopContainerBuild: () => sdk.stopContainerBuild(path.id),
  getContainerBuildLogs: () => sdk.getContainerBuildLogs(path.id),
  getApiKeyInfo: () => sdk.getApiKeyInfo(),
  getDeploymentHealth: () => sdk.getDeploymentHealth(path.id),
  getDeploymentLogs: () => sdk.getDeploymentLogs({ ...path.id, query: { level: 'warn', tail: 10 } }),
  getDeploymentMetrics: () => sdk.getDeploymentMetrics(path.id),
  getMetrics: () => sdk.getMetrics(),
  followEvents: () => sdk.followEvents(),
  sendMcpMessage: () =>
    sdk.sendMcpMessage({ ...path.serverEnv, body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } }),
  openMcpStream: () => sdk.openMcpStream(path.serverEnv),
  endMcpSession: () => sdk.endMcpSession(path.serverEnv),
  listSessions: () => sdk.listSessions({ ...path.server, query: { environment: 'staging' } }),
  endSessions: () => sdk.endSessions(path.server),
  endSession: () => sdk.endSession(path.ofServer),
  listGrants: () => sdk.listGrants({ ...path.server, query: { environment: 'staging' } }),
  revokeGrant: () => sdk.revokeGrant(path.ofServer),
  listSignInClients: () => sdk.listSignInClients(path.server),
  removeSignInClient: () => sdk.removeSignInClient(path.ofServer),
  listRequests: () => sdk.listRequests({ query: { server: 'shop', tool: 'x' } }),
  exportRequests: () => sdk.exportRequests({ query: { server: 'shop' } }),
  getRequest: () => sdk.getRequest(path.id),
  replayRequest: () => sdk.replayRequest({ ...path.id, body: { arguments: { city: 'Lima' } } }),
  listCertificates: () => sdk.listCertificates(),
  listMappings: () => sdk.listMappings(),
  putMapping: () => sdk.putMapping({ ...path.subdomain, body: { deploymentId: 'x' } }),
  getMapping: () => sdk.getMapping({ ...path.subdomain, headers: { 'If-None-Match': '"x"' } }),
  removeMapping: () => sdk.removeMapping(path.subdomain),
  listChats: () => sdk.listChats(),
  getChat: () => sdk.getChat(path.chat),
  removeChat: () => sdk.removeChat(path.chat),
  listChatMessages: () => sdk.listChatMessages(path.chat),
  countChatMessages: () => sdk.countChatMessages(path.chat),
  createSuiteRun: () =>
    sdk.createSuiteRun({
      body: {
        mcpId: 'x',
        suite: null,
        models: [],
        status: 'passed',
        passed: 1,
        failed: 0,
        errors: 0,
        successRate: 1,
        threshold: 1,
        seconds: 1,
        totalTokens: 0,
        cost: null,
        cases: [{ name: 'x', model: 'x', status: 'passed', passRate: 1, threshold: 1, runs: [] }],
      },
    }),
  listSuiteRuns: () => sdk.listSuiteRuns({ query: { server: 'x' } }),
  getSuiteRun: () => sdk.getSuiteRun(path.id),
  removeSuiteRun: () => sdk.removeSuiteRun(path.id),
  listModelKeys: () => sdk.listModelKeys(),
  saveModelKey: () => sdk.saveModelKey({ ...path.vendor, body: { apiKey: 'x' } }),
  getModelKey: () => sdk.getModelKey(path.vendor),
  removeModelKey: () => sdk.removeModelKey(path.vendor),
  createApiKey: () => sdk.createApiKey({ body: { name: 'ci', scopes: ['READ'] } }),
  listApiKeys: () => sdk.listApiKeys(),
  getApiKey: () => sdk.getApiKey(path.id),
  revokeApiKey: () => sdk.revokeApiKey({ ...path.id, headers: { 'If-Match': '"x"' } }),
  checkApiKey: () => sdk.checkApiKey({ body: { key: 'x', method: 'GET', path: '/v1/build' } }),
  createConsoleLink: () => sdk.createConsoleLink(),
  getConsoleSession: () => sdk.getConsoleSession(),
  endConsoleSession: () => sdk.endConsoleSession(),
  endConsoleSessions: () => sdk.endConsoleSessions(),
  backUpDatabase: () => sdk.backUpDatabase(),
  checkDaemon: () => sdk.checkDaemon(),
  repairDaemon: () => sdk.repairDaemon({ body: {} }),
  listBackups: () => sdk.listBackups(),
  describeDaemon: () => sdk.describeDaemon(),
  upgradeDaemon: () => sdk.upgradeDaemon({ body: {} }),
  stopDaemon: () => sdk.stopDaemon(),
} satisfies Record<keyof operations, () => Promise<unknown>>

/** Compiles only with the response types that callers rely on. */
export async function readAnswers(): Promise<string[]> {
  const { data, error } = await sdk.createBuild({ body: { name: 'greeter', template: 'basic' } })
  if (error) return [error.error.code, error.error.details]
  const build: sdk.Build = data.data
  const { data: page } = await sdk.listProjects()
  const projects: sdk.Project[] = page?.items ?? []
  return [build.mcp_id, data.meta.request_id, projects[0]?.name ?? '']
}
