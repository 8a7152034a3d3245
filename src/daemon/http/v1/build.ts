import * as z from 'zod'
import {
  buildEventSchema,
  buildRecordSchema,
  surfaceReportSchema,
} from '../../../shared/contract/builds/builds.ts'
import { inspectorSchema } from '../../../shared/contract/builds/inspector.ts'
import { pageOf } from '../../../shared/contract/envelope.ts'
import { buildStateSchema, environmentSchema } from '../../../shared/contract/fields.ts'
import { buildRequestSchema } from '../../../shared/definitions/definitions.ts'
import { described, named } from '../../../shared/json/schema-metadata.ts'
import type { Services } from '../../services/services.ts'
import { dataEndpoint, endpoint } from '../endpoint.ts'
import { idSchema, limitSchema, pageTokenSchema, serverFilterSchema, wholeNumber } from '../path-ids.ts'
import { buildEvents } from './build-events.ts'

const location = ['Location'] as const

const namedArtifact = named('Artifact', 'Normalized definitions of a server.', { format: 1 })

const artifactSchema = namedArtifact.looseObject({ format: z.literal(1).describe('Version of the format.') })

const namedBundle = named('Bundle', 'Code of handler modules.', { bundle: 'export {}' })

const bundleSchema = namedBundle.object({
  bundle: z.string().describe('One ECMAScript module with an inline source map.'),
})

const params = z.object({ mcp_id: idSchema.describe('Id of the build.') })

export function buildEndpoints(services: Services) {
  const { builds, records, surfaces } = services
  const record = ({ mcp_id }: z.output<typeof params>) => records.build(builds.get(mcp_id))

  const createBuild = endpoint({
    operationId: 'createBuild',
    summary: 'Build an MCP server from its definitions',
    body: buildRequestSchema,
    // All errors in definitions are INVALID_MCP, including errors in their shape.
    rawBody: true,
    takesPrefer: true,
    answers: {
      201: {
        description:
          'The build has finished: `ready`, or `failed` with its error. A build of code fails with `INTERRUPTED` when the client disconnects first, unless it sent `Prefer: respond-async` or `Idempotency-Key`.',
        schema: buildRecordSchema,
        events: buildEventSchema,
        headers: location,
      },
      202: {
        description: 'Accepted. The build continues in the background.',
        schema: buildRecordSchema,
        headers: location,
      },
    },
    errors: ['INVALID_MCP', 'NOT_FOUND'],
    async run({ body, respondAsync, preferences, header, signal, accepts }) {
      // A client that repeats its request after a lost connection expects the result of its first request.
      const continues = respondAsync || header('idempotency-key') !== undefined
      const isTemporary = preferences.has('temporary')
      if (!continues && accepts('text/event-stream'))
        return buildEvents(services, body, { stopped: signal, isTemporary })
      const { build, done } = await builds.create(body, {
        stopped: continues ? undefined : signal,
        isTemporary,
      })
      return respondAsync
        ? { status: 202, data: records.build(build), headers: { Location: `/v1/build/${build.id}` } }
        : { status: 201, data: records.build(await done), headers: { Location: `/v1/build/${build.id}` } }
    },
  })

  const listBuilds = dataEndpoint({
    operationId: 'listBuilds',
    summary: 'List builds, newest first',
    query: z.strictObject({
      name: serverFilterSchema,
      status: buildStateSchema.optional().describe('Only builds in this state.'),
      limit: limitSchema,
      cursor: pageTokenSchema,
    }),
    answers: { 200: { description: 'A page of builds.', schema: pageOf(buildRecordSchema, 'BuildPage') } },
    run({ query: { limit, cursor, ...filter } }) {
      const { items, nextCursor } = builds.list(filter, limit, cursor)
      return { items: items.map(build => records.build(build)), next_cursor: nextCursor }
    },
  })

  const getBuild = dataEndpoint({
    operationId: 'getBuild',
    summary: 'Show a build',
    params,
    record,
    answers: { 200: { description: 'The build.', schema: buildRecordSchema } },
    run: ({ params }) => records.build(builds.get(params.mcp_id)),
  })

  const getInspector = endpoint({
    operationId: 'getInspector',
    summary: 'Show the debugger of a preview, or run one while the stream is read',
    params,
    query: z.strictObject({
      port: wholeNumber({ min: 0, max: 65_535 })
        .default(9229)
        .describe('Port on 127.0.0.1. 0 picks a free port.'),
    }),
    answers: {
      200: { description: 'The debugger.', schema: inspectorSchema, events: inspectorSchema },
    },
    errors: ['CONFLICT'],
    async run({ params: { mcp_id }, query: { port }, signal, accepts }) {
      if (accepts('text/event-stream'))
        return { status: 200, events: await builds.inspect(mcp_id, { port, signal }) }
      return { status: 200, data: await builds.inspector(mcp_id) }
    },
  })

  const getArtifact = dataEndpoint({
    operationId: 'getArtifact',
    summary: 'Show the artifact of a build: the normalized definitions that instances serve',
    params,
    answers: { 200: { description: 'The artifact.', schema: artifactSchema } },
    errors: ['CONFLICT'],
    run: ({ params }) => builds.artifact(params.mcp_id),
  })

  const getBundle = dataEndpoint({
    operationId: 'getBundle',
    summary: "Show the bundled code of a server's handler modules",
    params,
    answers: { 200: { description: 'The bundle.', schema: bundleSchema } },
    errors: ['CONFLICT'],
    run: ({ params }) => ({ bundle: builds.bundle(params.mcp_id) }),
  })

  const getImage = endpoint({
    operationId: 'getImage',
    summary: 'Download a built server as a container image for docker, podman and skopeo',
    params,
    query: z.strictObject({
      base: z
        .string()
        .min(1)
        .max(500)
        .optional()
        .meta(
          described(
            'Base image: a reference, `oci:/folder[:name]` or `local`. Needs the scope BUILD_AND_DEPLOY.',
            'registry.example.com/node:24',
          ),
        ),
    }),
    answers: {
      200: {
        description: 'A tar that is both an OCI layout and a Docker archive.',
        file: 'application/x-tar',
      },
    },
    errors: ['CONFLICT', 'INVALID_MCP', 'UPSTREAM_FAILED'],
    // For a base image, the daemon connects to other machines or reads folders, with its own credentials.
    scopeOfQuery: ({ base }) => (base === undefined ? undefined : 'BUILD_AND_DEPLOY'),
    async run({ params, query, signal }) {
      const { file } = await builds.image(params.mcp_id, { ...query, signal })
      return { status: 200, file, type: 'application/x-tar' }
    },
  })

  const getSurface = dataEndpoint({
    operationId: 'getSurface',
    summary: 'Compare a build, as clients see it, with the live deployments of its server',
    params,
    query: z.strictObject({ environment: environmentSchema.optional().describe('Only this environment.') }),
    answers: { 200: { description: 'The changes.', schema: surfaceReportSchema } },
    errors: ['CONFLICT'],
    run: ({ params, query }) => surfaces.report(params.mcp_id, query.environment),
  })

  const removeBuild = dataEndpoint({
    operationId: 'removeBuild',
    summary: 'Remove a build that no deployment uses',
    params,
    record,
    answers: { 204: { description: 'Removed.' } },
    errors: ['CONFLICT'],
    run: ({ params }) => builds.remove(params.mcp_id),
  })

  return {
    createBuild,
    listBuilds,
    getBuild,
    getInspector,
    getArtifact,
    getBundle,
    getImage,
    getSurface,
    removeBuild,
  }
}
