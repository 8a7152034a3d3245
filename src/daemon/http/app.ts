import { Hono } from 'hono'
import type { DaemonState } from '../../shared/contract/daemon/daemon-health.ts'
import type { Services } from '../services/services.ts'
import { certificatesEndpoints } from './api/certificates.ts'
import { chatsEndpoints } from './api/chats.ts'
import { consoleEndpoints } from './api/console.ts'
import { daemonEndpoints, type Upgrades } from './api/daemon.ts'
import { eventsEndpoints } from './api/events.ts'
import { keysEndpoints } from './api/keys.ts'
import { lambdaBuildsEndpoints } from './api/lambda-builds.ts'
import { lambdaDeployEndpoints } from './api/lambda-deploy.ts'
import { lambdaMappingEndpoints } from './api/lambda-mapping.ts'
import { metricsEndpoints } from './api/metrics.ts'
import { modelKeysEndpoints } from './api/model-keys.ts'
import { projectsEndpoints } from './api/projects.ts'
import { pruneEndpoints } from './api/prune.ts'
import { requestsEndpoints } from './api/requests.ts'
import { serverMcpEndpoints } from './api/server-mcp.ts'
import { serversEndpoints } from './api/servers.ts'
import { sessionsEndpoints } from './api/sessions.ts'
import { signInsEndpoints } from './api/sign-ins.ts'
import { suiteRunsEndpoints } from './api/suite-runs.ts'
import type { AppFrames } from './app-frames.ts'
import { CONSOLE_PATH, consolePage } from './console-page.ts'
import { consoleSignIn } from './console-sign-in.ts'
import { check, dispatch, refuseUnknown } from './dispatch.ts'
import {
  type Bindings,
  matchesPath,
  type Route,
  STATUS_READERS,
  takesIdempotencyKey,
  toRoute,
} from './endpoint.ts'
import { healthEndpoint } from './health.ts'
import { metricsPage } from './metrics.ts'
import { authentication } from './middleware/authentication.ts'
import { answerError, type ErrorLog } from './middleware/error-envelope.ts'
import { hostCheck } from './middleware/host-check.ts'
import { idempotency } from './middleware/idempotency.ts'
import { rateLimit } from './middleware/rate-limit.ts'
import { requestId } from './middleware/request-id.ts'
import { openApiEndpoint } from './openapi.ts'
import { signIn } from './sign-in.ts'
import { buildEndpoints } from './v1/build.ts'
import { deployEndpoints } from './v1/deploy.ts'
import { envEndpoints } from './v1/env.ts'
import { serverStoreEndpoints } from './v1/server-store.ts'
import { serverEndpoints } from './v1/servers.ts'
import { testEndpoints } from './v1/test.ts'

export interface AppOptions {
  services: Services
  health: { nonce: string; version: string; pid: number; startedAt: string }
  /** Ports that serve by host name. Undefined if servers have no host names. */
  namedPorts: DaemonState['namedPorts']
  /** POST /api/daemon/stop */
  requestStop(): void
  upgrades?: Upgrades
  /** Aborts when the daemon closes. Event streams end then. */
  closing: AbortSignal
  /** Folder with the built console. */
  consoleFolder: string
  appFrames: AppFrames
  log: ErrorLog
}

/** Every operation of the API: method and path, required scope, endpoint. */
function routesOf({ services, health, namedPorts, requestStop, upgrades, appFrames }: AppOptions): Route[] {
  const build = buildEndpoints(services)
  const console = consoleEndpoints(services, appFrames)
  const deploy = deployEndpoints(services)
  const env = envEndpoints(services)
  const lambdaBuilds = lambdaBuildsEndpoints(services)
  const lambdaDeploy = lambdaDeployEndpoints(services)
  const mappings = lambdaMappingEndpoints(services)
  const certificates = certificatesEndpoints(services)
  const events = eventsEndpoints(services)
  const metrics = metricsEndpoints(services)
  const projects = projectsEndpoints(services)
  const requests = requestsEndpoints(services)
  const server = serverEndpoints(services)
  const serverMcp = serverMcpEndpoints(services)
  const serverStore = serverStoreEndpoints(services)
  const servers = serversEndpoints(services)
  const suiteRuns = suiteRunsEndpoints(services)
  const sessions = sessionsEndpoints(services)
  const signIns = signInsEndpoints(services)
  const test = testEndpoints(services)
  const chats = chatsEndpoints(services)
  const modelKeys = modelKeysEndpoints(services)
  const keys = keysEndpoints(services, () => routes)
  const prune = pruneEndpoints(services)
  const daemon = daemonEndpoints(services, { requestStop, upgrades, facts: health, namedPorts })
  const routes: Route[] = (
    [
      ['GET /health', 'open', healthEndpoint(health)],
      ['GET /openapi.json', 'open', openApiEndpoint(() => routes)],
      ['GET /metrics', 'READ', metricsPage(services.prometheusPage)],

      ['POST /v1/build', 'BUILD_AND_DEPLOY', build.createBuild],
      ['GET /v1/build', 'READ', build.listBuilds],
      ['GET /v1/build/{mcp_id}', STATUS_READERS, build.getBuild],
      ['GET /v1/build/{mcp_id}/artifact', 'READ', build.getArtifact],
      ['GET /v1/build/{mcp_id}/inspector', 'BUILD_AND_DEPLOY', build.getInspector],
      ['GET /v1/build/{mcp_id}/bundle', 'READ', build.getBundle],
      ['GET /v1/build/{mcp_id}/image', 'READ', build.getImage],
      ['GET /v1/build/{mcp_id}/surface', STATUS_READERS, build.getSurface],
      ['DELETE /v1/build/{mcp_id}', 'BUILD_AND_DEPLOY', build.removeBuild],

      ['POST /v1/test', 'CHAT', test.runTest],

      ['POST /v1/deploy', 'BUILD_AND_DEPLOY', deploy.createDeployment],
      ['GET /v1/deploy', 'READ', deploy.listDeployments],
      ['GET /v1/deploy/{deployment_id}/status', STATUS_READERS, deploy.getStatus],
      ['POST /v1/deploy/{deployment_id}/stop', 'BUILD_AND_DEPLOY', deploy.stop],
      ['POST /v1/deploy/{deployment_id}/start', 'BUILD_AND_DEPLOY', deploy.start],
      ['POST /v1/deploy/{deployment_id}/restart', 'BUILD_AND_DEPLOY', deploy.restart],
      ['POST /v1/deploy/{deployment_id}/rollback', 'BUILD_AND_DEPLOY', deploy.rollback],
      ['POST /v1/deploy/{deployment_id}/reconfigure', 'BUILD_AND_DEPLOY', deploy.reconfigure],
      ['DELETE /v1/deploy/{deployment_id}', 'BUILD_AND_DEPLOY', deploy.remove],

      ['DELETE /v1/servers/{name}', 'BUILD_AND_DEPLOY', server.removeServer],
      ['GET /v1/servers/{name}/env/{environment}', STATUS_READERS, env.getEnv],
      ['PATCH /v1/servers/{name}/env/{environment}', 'BUILD_AND_DEPLOY', env.changeEnv],
      ['POST /v1/servers/{name}/env/{environment}/release', 'BUILD_AND_DEPLOY', env.releaseEnv],
      ['GET /v1/servers/{name}/store/{environment}', 'READ', serverStore.listEntries],
      ['PATCH /v1/servers/{name}/store/{environment}', 'BUILD_AND_DEPLOY', serverStore.changeEntries],

      ['POST /api/projects', 'BUILD_AND_DEPLOY', projects.createProject],
      ['GET /api/projects', 'READ', projects.listProjects],
      ['GET /api/projects/{id}', 'READ', projects.getProject],
      ['PATCH /api/projects/{id}', 'BUILD_AND_DEPLOY', projects.updateProject],
      ['PUT /api/projects/{id}/source', 'BUILD_AND_DEPLOY', projects.putSource],

      ['POST /api/lambda-builds/trigger/{projectId}', 'BUILD_AND_DEPLOY', lambdaBuilds.trigger],
      ['GET /api/lambda-builds', 'READ', lambdaBuilds.list],
      ['GET /api/lambda-builds/{id}', STATUS_READERS, lambdaBuilds.get],
      ['POST /api/lambda-builds/{id}/stop', 'BUILD_AND_DEPLOY', lambdaBuilds.stop],
      ['GET /api/lambda-builds/{id}/logs', STATUS_READERS, lambdaBuilds.logs],

      ['GET /api/deployments/api-key/info', 'any', keys.keyInfo],
      ['GET /api/lambda-deploy/{id}/health', STATUS_READERS, lambdaDeploy.health],
      ['GET /api/lambda-deploy/{id}/logs', 'READ', lambdaDeploy.logs],
      ['GET /api/lambda-deploy/{id}/metrics', 'READ', lambdaDeploy.metrics],
      ['GET /api/metrics', 'READ', metrics.getMetrics],
      ['GET /api/events', ['READ', 'CHAT', 'ADMIN'], events.followEvents],

      ['GET /api/servers/{name}/releases', 'READ', servers.listReleases],
      ['GET /api/servers/{name}/logs', 'READ', servers.serverLog],
      ['GET /api/servers/{name}/metrics', 'READ', servers.metrics],
      ['POST /api/servers/{name}/mcp/{environment}', 'CHAT', serverMcp.sendMcpMessage],
      ['GET /api/servers/{name}/mcp/{environment}', 'CHAT', serverMcp.openMcpStream],
      ['DELETE /api/servers/{name}/mcp/{environment}', 'CHAT', serverMcp.endMcpSession],
      ['GET /api/servers/{name}/sessions', 'READ', sessions.listSessions],
      ['DELETE /api/servers/{name}/sessions', 'BUILD_AND_DEPLOY', sessions.endSessions],
      ['DELETE /api/servers/{name}/sessions/{id}', 'BUILD_AND_DEPLOY', sessions.endSession],
      ['GET /api/servers/{name}/grants', 'READ', signIns.listGrants],
      ['DELETE /api/servers/{name}/grants/{id}', 'BUILD_AND_DEPLOY', signIns.revokeGrant],
      ['GET /api/servers/{name}/clients', 'READ', signIns.listClients],
      ['DELETE /api/servers/{name}/clients/{id}', 'BUILD_AND_DEPLOY', signIns.removeClient],
      ['GET /api/logs', 'READ', servers.allLogs],

      ['GET /api/requests', 'READ', requests.listRequests],
      ['GET /api/requests/export', 'READ', requests.exportRequests],
      ['GET /api/requests/{id}', 'READ', requests.getRequest],
      ['POST /api/requests/{id}/replay', 'CHAT', requests.replayRequest],

      ['GET /api/lambda-mapping', 'READ', mappings.listMappings],
      ['GET /api/lambda-mapping/{subdomain}', 'READ', mappings.getMapping],
      ['PUT /api/lambda-mapping/{subdomain}', 'BUILD_AND_DEPLOY', mappings.putMapping],
      ['DELETE /api/lambda-mapping/{subdomain}', 'BUILD_AND_DEPLOY', mappings.removeMapping],
      ['GET /api/certificates', 'READ', certificates.listCertificates],

      ['GET /api/chats', 'CHAT', chats.listChats],
      ['GET /api/chats/{chatId}', 'CHAT', chats.getChat],
      ['DELETE /api/chats/{chatId}', 'CHAT', chats.removeChat],
      ['GET /api/chat-messages/chat/id/{chatId}', 'CHAT', chats.listMessages],
      ['GET /api/chat-messages/chat/id/{chatId}/count', 'CHAT', chats.countMessages],
      ['POST /api/suite-runs', 'CHAT', suiteRuns.createSuiteRun],
      ['GET /api/suite-runs', 'CHAT', suiteRuns.listSuiteRuns],
      ['GET /api/suite-runs/{id}', 'CHAT', suiteRuns.getSuiteRun],
      ['DELETE /api/suite-runs/{id}', 'CHAT', suiteRuns.removeSuiteRun],
      ['GET /api/model-keys', 'CHAT', modelKeys.listModelKeys],
      ['GET /api/model-keys/{vendor}', 'CHAT', modelKeys.getModelKey],
      ['PUT /api/model-keys/{vendor}', 'ADMIN', modelKeys.saveModelKey],
      ['DELETE /api/model-keys/{vendor}', 'ADMIN', modelKeys.removeModelKey],

      ['POST /api/keys', 'ADMIN', keys.createKey],
      ['GET /api/keys', 'ADMIN', keys.listKeys],
      ['GET /api/keys/{id}', 'ADMIN', keys.getKey],
      ['DELETE /api/keys/{id}', 'ADMIN', keys.revokeKey],
      ['POST /api/keys/check', 'ADMIN', keys.checkKey],
      ['POST /api/console/links', 'any', console.createLink],
      ['GET /api/console/session', 'any', console.getSession],
      ['DELETE /api/console/session', 'any', console.endSession],
      ['DELETE /api/console/sessions', 'any', console.endSessions],
      ['POST /api/daemon/backup', 'ADMIN', daemon.backUp],
      ['GET /api/daemon/backups', 'ADMIN', daemon.listBackups],
      ['GET /api/daemon/checks', 'ADMIN', daemon.checkDaemon],
      ['POST /api/daemon/checks/repair', 'ADMIN', daemon.repairDaemon],
      ['GET /api/prune', 'READ', prune.listUnused],
      ['POST /api/prune', 'ADMIN', prune.removeUnused],
      ['GET /api/daemon', 'READ', daemon.describeDaemon],
      ['POST /api/daemon/upgrade', 'ADMIN', daemon.upgradeDaemon],
      ['POST /api/daemon/stop', 'ADMIN', daemon.stopDaemon],
    ] as const
  ).map(toRoute)
  return routes
}

export function createApp(options: AppOptions): Hono<Bindings> {
  const { consoleSessions, idempotencyKeys, rateLimits, signIns } = options.services
  const routes = routesOf(options)
  const some = (matches: (route: Route) => boolean) => (method: string, path: string) =>
    routes.some(
      route => matches(route) && matchesPath(route, path) && [route.method, 'HEAD'].includes(method),
    )
  const authenticate = authentication(options.services, {
    takesExpired: some(({ access }) => access === 'any'),
    forwards: some(({ endpoint }) => Boolean(endpoint.forwards)),
  })

  const app = new Hono<Bindings>()
  app.onError((error, context) => answerError(context, error, options.log))
  app.notFound(context => refuseUnknown(context, routes))
  app.use(requestId, signIn(signIns), hostCheck, consoleSignIn(consoleSessions))
  app.get(`${CONSOLE_PATH}*`, consolePage(options.consoleFolder, options.appFrames))
  for (const family of ['/v1/*', '/api/*']) app.use(family, authenticate, rateLimit(rateLimits))
  app.use('/metrics', authenticate)
  for (const route of routes) {
    const pattern = toPattern(route.path)
    app.on(route.method, pattern, check(route, options.closing))
    if (takesIdempotencyKey(route)) app.post(pattern, idempotency(route, idempotencyKeys))
    app.on(route.method, pattern, dispatch(route))
  }
  return app
}

function toPattern(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1')
}
