import type { Client } from 'openapi-fetch'
import type { operations, paths } from './api.d.ts'

/** A call to every operation, as openapi-typescript and openapi-fetch type it. An operation without a call does not compile. */
export function callsOf(api: Client<paths, 'application/json'>) {
  const id = { params: { path: { id: 'x' } } }
  const build = { params: { path: { mcp_id: 'x' } } }
  const deployment = { params: { path: { deployment_id: 'x' } } }
  const chat = { params: { path: { chatId: 'x' } } }
  const vendor = { params: { path: { vendor: 'anthropic' } } }
  const server = { params: { path: { name: 'shop' } } }
  const serverEnv = { params: { path: { name: 'shop', environment: 'staging' as const } } }
  const ofServer = { params: { path: { name: 'shop', id: 'x' } } }
  const subdomain = { params: { path: { subdomain: 'weather' } } }
  return {
    getDaemonHealth: () => api.GET('/health'),
    getOpenApi: () => api.GET('/openapi.json'),
    getPrometheusMetrics: () => api.GET('/metrics', { parseAs: 'text' }),
    createBuild: () =>
      api.POST('/v1/build', {
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
    listBuilds: () => api.GET('/v1/build', { params: { query: { status: 'ready', limit: 10 } } }),
    getBuild: () => api.GET('/v1/build/{mcp_id}', build),
    getArtifact: () => api.GET('/v1/build/{mcp_id}/artifact', build),
    getBundle: () => api.GET('/v1/build/{mcp_id}/bundle', build),
    getImage: () => api.GET('/v1/build/{mcp_id}/image', { ...build, parseAs: 'blob' }),
    getSurface: () => api.GET('/v1/build/{mcp_id}/surface', build),
    getInspector: () => api.GET('/v1/build/{mcp_id}/inspector', build),
    removeBuild: () => api.DELETE('/v1/build/{mcp_id}', build),
    runTest: () =>
      api.POST('/v1/test', {
        body: { mcp_id: 'x', message: 'Greet Ada.', context: { user_id: 'u1', session_data: { a: [1] } } },
      }),
    createDeployment: () =>
      api.POST('/v1/deploy', {
        body: {
          mcp_id: 'x',
          environment: 'production',
          config: { scaling: { max_instances: 2 }, env_vars: { TOKEN: 'x' } },
        },
      }),
    listDeployments: () => api.GET('/v1/deploy', { params: { query: { environment: 'staging' } } }),
    getDeploymentStatus: () => api.GET('/v1/deploy/{deployment_id}/status', deployment),
    stopDeployment: () => api.POST('/v1/deploy/{deployment_id}/stop', deployment),
    startDeployment: () =>
      api.POST('/v1/deploy/{deployment_id}/start', {
        params: { ...deployment.params, header: { Prefer: 'respond-async' } },
      }),
    restartDeployment: () => api.POST('/v1/deploy/{deployment_id}/restart', deployment),
    rollbackDeployment: () => api.POST('/v1/deploy/{deployment_id}/rollback', { ...deployment, body: {} }),
    reconfigureDeployment: () =>
      api.POST('/v1/deploy/{deployment_id}/reconfigure', {
        ...deployment,
        body: { config: { scaling: { min_instances: 2 } }, reset: ['log_level'] },
      }),
    removeDeployment: () => api.DELETE('/v1/deploy/{deployment_id}', deployment),
    getServerEnv: () => api.GET('/v1/servers/{name}/env/{environment}', serverEnv),
    changeServerEnv: () =>
      api.PATCH('/v1/servers/{name}/env/{environment}', {
        ...serverEnv,
        body: { variables: { SHOP_URL: 'x', API_KEY: { value: 'x', secret: true }, OLD: null } },
      }),
    releaseServerEnv: () => api.POST('/v1/servers/{name}/env/{environment}/release', serverEnv),
    listStoreEntries: () => api.GET('/v1/servers/{name}/store/{environment}', serverEnv),
    changeStoreEntries: () =>
      api.PATCH('/v1/servers/{name}/store/{environment}', {
        ...serverEnv,
        body: { set: [{ key: 'a', value: { at: 1 } }] },
      }),
    listUnused: () => api.GET('/api/prune'),
    removeUnused: () => api.POST('/api/prune', { body: { items: [] } }),
    removeServer: () => api.DELETE('/v1/servers/{name}', server),
    listReleases: () => api.GET('/api/servers/{name}/releases', server),
    getServerLog: () => api.GET('/api/servers/{name}/logs', server),
    getAllLogs: () => api.GET('/api/logs', { params: { query: { level: 'warn' } } }),
    getServerMetrics: () => api.GET('/api/servers/{name}/metrics', server),
    createProject: () => api.POST('/api/projects', { body: { name: 'weather' } }),
    listProjects: () => api.GET('/api/projects'),
    getProject: () => api.GET('/api/projects/{id}', id),
    updateProject: () => api.PATCH('/api/projects/{id}', { ...id, body: { status: 'archived' } }),
    putProjectSource: () =>
      api.PUT('/api/projects/{id}/source', { ...id, headers: { 'Content-Type': 'application/gzip' } }),
    triggerContainerBuild: () =>
      api.POST('/api/lambda-builds/trigger/{projectId}', { params: { path: { projectId: 'x' } } }),
    listContainerBuilds: () => api.GET('/api/lambda-builds'),
    getContainerBuild: () => api.GET('/api/lambda-builds/{id}', id),
    stopContainerBuild: () => api.POST('/api/lambda-builds/{id}/stop', id),
    getContainerBuildLogs: () => api.GET('/api/lambda-builds/{id}/logs', id),
    getApiKeyInfo: () => api.GET('/api/deployments/api-key/info'),
    getDeploymentHealth: () => api.GET('/api/lambda-deploy/{id}/health', id),
    getDeploymentLogs: () =>
      api.GET('/api/lambda-deploy/{id}/logs', {
        params: { ...id.params, query: { level: 'warn', tail: 10 } },
      }),
    getDeploymentMetrics: () => api.GET('/api/lambda-deploy/{id}/metrics', id),
    getMetrics: () => api.GET('/api/metrics'),
    followEvents: () => api.GET('/api/events'),
    sendMcpMessage: () =>
      api.POST('/api/servers/{name}/mcp/{environment}', {
        ...serverEnv,
        body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      }),
    openMcpStream: () => api.GET('/api/servers/{name}/mcp/{environment}', serverEnv),
    endMcpSession: () => api.DELETE('/api/servers/{name}/mcp/{environment}', serverEnv),
    listSessions: () =>
      api.GET('/api/servers/{name}/sessions', {
        params: { ...server.params, query: { environment: 'staging' } },
      }),
    endSessions: () => api.DELETE('/api/servers/{name}/sessions', server),
    endSession: () => api.DELETE('/api/servers/{name}/sessions/{id}', ofServer),
    listGrants: () =>
      api.GET('/api/servers/{name}/grants', {
        params: { ...server.params, query: { environment: 'staging' } },
      }),
    revokeGrant: () => api.DELETE('/api/servers/{name}/grants/{id}', ofServer),
    listSignInClients: () => api.GET('/api/servers/{name}/clients', server),
    removeSignInClient: () => api.DELETE('/api/servers/{name}/clients/{id}', ofServer),
    listRequests: () => api.GET('/api/requests', { params: { query: { server: 'shop', tool: 'x' } } }),
    exportRequests: () => api.GET('/api/requests/export', { params: { query: { server: 'shop' } } }),
    getRequest: () => api.GET('/api/requests/{id}', id),
    replayRequest: () =>
      api.POST('/api/requests/{id}/replay', { ...id, body: { arguments: { city: 'Lima' } } }),
    listCertificates: () => api.GET('/api/certificates'),
    listMappings: () => api.GET('/api/lambda-mapping'),
    putMapping: () =>
      api.PUT('/api/lambda-mapping/{subdomain}', { ...subdomain, body: { deploymentId: 'x' } }),
    getMapping: () => api.GET('/api/lambda-mapping/{subdomain}', subdomain),
    removeMapping: () => api.DELETE('/api/lambda-mapping/{subdomain}', subdomain),
    listChats: () => api.GET('/api/chats'),
    getChat: () => api.GET('/api/chats/{chatId}', chat),
    removeChat: () => api.DELETE('/api/chats/{chatId}', chat),
    listChatMessages: () => api.GET('/api/chat-messages/chat/id/{chatId}', chat),
    countChatMessages: () => api.GET('/api/chat-messages/chat/id/{chatId}/count', chat),
    createSuiteRun: () =>
      api.POST('/api/suite-runs', {
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
    listSuiteRuns: () => api.GET('/api/suite-runs', { params: { query: { server: 'x' } } }),
    getSuiteRun: () => api.GET('/api/suite-runs/{id}', id),
    removeSuiteRun: () => api.DELETE('/api/suite-runs/{id}', id),
    listModelKeys: () => api.GET('/api/model-keys'),
    saveModelKey: () => api.PUT('/api/model-keys/{vendor}', { ...vendor, body: { apiKey: 'x' } }),
    getModelKey: () => api.GET('/api/model-keys/{vendor}', vendor),
    removeModelKey: () => api.DELETE('/api/model-keys/{vendor}', vendor),
    createApiKey: () => api.POST('/api/keys', { body: { name: 'ci', scopes: ['READ'] } }),
    listApiKeys: () => api.GET('/api/keys'),
    getApiKey: () => api.GET('/api/keys/{id}', id),
    revokeApiKey: () =>
      api.DELETE('/api/keys/{id}', { params: { ...id.params, header: { 'If-Match': '"x"' } } }),
    checkApiKey: () => api.POST('/api/keys/check', { body: { key: 'x', method: 'GET', path: '/v1/build' } }),
    createConsoleLink: () => api.POST('/api/console/links'),
    getConsoleSession: () => api.GET('/api/console/session'),
    endConsoleSession: () => api.DELETE('/api/console/session'),
    endConsoleSessions: () => api.DELETE('/api/console/sessions'),
    backUpDatabase: () => api.POST('/api/daemon/backup'),
    checkDaemon: () => api.GET('/api/daemon/checks'),
    repairDaemon: () => api.POST('/api/daemon/checks/repair', { body: {} }),
    listBackups: () => api.GET('/api/daemon/backups'),
    describeDaemon: () => api.GET('/api/daemon'),
    upgradeDaemon: () => api.POST('/api/daemon/upgrade', { body: {} }),
    stopDaemon: () => api.POST('/api/daemon/stop'),
  } satisfies Record<keyof operations, () => Promise<unknown>>
}

/** Compiles only with the response types that callers rely on. */
export async function readAnswers(api: Client<paths, 'application/json'>): Promise<string[]> {
  const { data, error } = await callsOf(api).createBuild()
  if (error) return [error.error.code, error.error.details]
  const { data: page } = await callsOf(api).listProjects()
  const { data: status } = await callsOf(api).getDeploymentStatus()
  const environment: 'production' | 'staging' | 'development' | undefined = status?.data.environment
  return [
    data.data.mcp_id,
    data.meta.request_id,
    data.data.status satisfies 'building' | 'ready' | 'failed',
    page?.items[0]?.name ?? '',
    environment ?? '',
  ]
}
